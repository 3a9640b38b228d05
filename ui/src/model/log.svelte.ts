import type { Backend } from '../backend/backend';
import type { LogPage, LogRow, LogView } from '../backend/bindings';
import { nothing, type Apply } from './apply';

/**
 * A view of the log that holds only the rows around those in view. Rows are asked for by their place in the
 * view, which never changes: rows are only added.
 */
export class Log {
  view = $state.raw<LogView>(everything);
  total = $state(0);
  loaded = $state(false);
  /** Whether the newest row stays in view. */
  follow = $state(true);
  /** The row that the keyboard is on, by its place in the view. */
  cursor = $state<number | null>(null);
  /** The place that was asked for from elsewhere: whoever draws the rows brings it into view. */
  sought = $state.raw<{ place: number } | null>(null);
  private seen = $state(0);
  /** Rows that came while not following. */
  readonly unseen = $derived(this.follow ? 0 : this.total - this.seen);
  readonly cursorRow = $derived(this.cursor === null ? null : this.row(this.cursor));

  private page = $state.raw<{ first: number; rows: LogRow[] }>({ first: 0, rows: [] });
  /** What the window draws now. */
  private first = 0;
  private count = 40;
  private everTotal = 0;
  /** Answers to an older request than this are of no use any more. */
  private generation = 0;
  private loading: { first: number; end: number } | null = null;

  constructor(
    private readonly backend: Backend,
    view: LogView = everything,
  ) {
    this.view = view;
  }

  row(index: number): LogRow | null {
    return this.page.rows[index - this.page.first] ?? null;
  }

  get held(): number {
    return this.page.rows.length;
  }

  /** Called by the window with the rows it draws; fetches only when they are not held. */
  async show(first: number, count: number): Promise<void> {
    this.first = first;
    this.count = Math.max(count, 1);
    const end = Math.min(first + count, this.total);
    const held = first >= this.page.first && end <= this.page.first + this.page.rows.length;
    const coming = this.loading !== null && first >= this.loading.first && end <= this.loading.end;
    if (held || coming || count === 0) return;
    try {
      (await this.fetch())();
    } catch {
      // The loop that follows changes meets the same failure and says so. What did not come is asked for again.
      this.loading = null;
    }
  }

  /** Puts the cursor on the row with this number, wherever it stands in the view; only the whole log is dense. */
  async goTo(seq: number): Promise<void> {
    await this.look(everything);
    const known = this.page.rows[0];
    if (known === undefined) return;
    const place = seq - (known.seq - this.page.first);
    if (place < 0 || place >= this.total) return;
    this.setFollow(false);
    await this.show(Math.max(0, place - Math.floor(this.count / 2)), this.count);
    this.cursor = place;
    this.sought = { place };
  }

  setFollow(follow: boolean): void {
    if (!follow && this.follow) this.seen = this.total;
    this.follow = follow;
  }

  /** Looks at another part of the log, at its newest rows. */
  async look(view: LogView): Promise<void> {
    if (sameView(view, this.view)) return;
    this.view = view;
    this.total = 0;
    this.everTotal = 0;
    this.loaded = false;
    this.cursor = null;
    this.sought = null;
    this.follow = true;
    this.page = { first: 0, rows: [] };
    try {
      (await this.fetch())();
    } catch {
      // As above: the loop reports it.
    }
  }

  /** Rereads the rows in view: pending ones may have been answered. */
  async prepare(logTotal: number): Promise<Apply> {
    if (sameView(this.view, everything)) this.everTotal = logTotal;
    return this.fetch();
  }

  private async fetch(): Promise<Apply> {
    const generation = (this.generation += 1);
    let first = this.follow ? this.everTotal - this.count : this.first;
    let page = await this.read(first);
    if (this.follow && page.first + page.rows.length < page.total && generation === this.generation) {
      // More came than was guessed; the newest rows are what following shows.
      first = page.total - this.count;
      page = await this.read(first);
    }
    if (generation !== this.generation) return nothing;
    return () => {
      if (generation !== this.generation) return;
      this.loading = null;
      this.page = { first: page.first, rows: page.rows };
      // While following under load, the total is what these rows reach; the next revision brings the rest.
      this.total = this.follow ? Math.min(page.total, page.first + page.rows.length) : page.total;
      this.everTotal = page.total;
      this.loaded = true;
    };
  }

  private read(around: number): Promise<LogPage> {
    const first = Math.max(0, around - margin);
    const count = Math.min(this.count + 2 * margin, mostRows);
    this.loading = { first, end: first + count };
    return this.backend.call('query_log', { view: this.view, first, count });
  }
}

const everything: LogView = { server: null, kind: null };

function sameView(one: LogView, other: LogView): boolean {
  return (
    one.server === other.server &&
    one.kind === other.kind &&
    one.connection === other.connection &&
    one.after === other.after &&
    one.lines?.messages === other.lines?.messages &&
    one.lines?.stderr === other.lines?.stderr &&
    one.lines?.level === other.lines?.level &&
    one.lines?.text === other.lines?.text
  );
}

/** Rows fetched on each side of those in view, so that scrolling finds them there. */
const margin = 60;
const mostRows = 400;
