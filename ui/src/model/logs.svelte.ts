import { apiError, type Backend } from '../backend/backend';
import type { ApiError, Changes, LogRow, LogView, ServerSummary } from '../backend/bindings';
import { nothing, type Apply } from './apply';
import type { Follower } from './follower';
import { Log } from './log.svelte';
import { OpenRow } from './row-detail.svelte';

export type Source = 'both' | 'messages' | 'stderr';

/** From the least grave to the gravest. */
export const levels = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

/** What the selected server says of its work: log messages and stderr, together or apart. */
export class Logs implements Follower {
  readonly lines: Log;
  /** The line that is looked at in full. */
  readonly line: OpenRow;
  open = $state(false);
  source = $state<Source>('both');
  /** The least level of the messages that are shown. */
  level = $state<string | null>(null);
  /** What is in the field; it is looked for a moment after the last key. */
  typed = $state('');
  /** What the lines in view were asked to have. */
  text = $state('');
  /** The exchanges that were open when a line came, and of which line. */
  related = $state.raw<{ seq: number; rows: LogRow[]; more: number; error: ApiError | null } | null>(null);
  /** Why the level that a server sends could not be set, and of which one. */
  refusal = $state.raw<{ server: string; error: ApiError } | null>(null);

  readonly filtered = $derived(this.source !== 'both' || this.level !== null || this.text !== '');

  private server: string | null = null;
  /** The length of the log that the lines were read from. */
  private logTotal = -1;
  /** A level that was asked for; it counts until the core has news of that server. */
  private asked = $state.raw<{ server: string; level: string; news: number } | null>(null);
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly backend: Backend) {
    this.lines = new Log(backend);
    this.line = new OpenRow(backend);
  }

  /** Rereads the lines when the log grew; a line that is there never changes. */
  async prepare(server: ServerSummary | null, changes: Changes | null): Promise<Apply> {
    const id = server?.id ?? null;
    if (id !== this.server) {
      this.server = id;
      this.logTotal = -1;
      this.typed = '';
      this.text = '';
      await this.look();
      return nothing;
    }
    const total = changes?.log_total ?? null;
    if (id === null || (total !== null && total === this.logTotal && this.lines.loaded)) return nothing;
    const apply = await this.lines.prepare(total ?? 0);
    return () => {
      if (total !== null && id === this.server) this.logTotal = total;
      apply();
    };
  }

  async show(source: Source): Promise<void> {
    this.source = source;
    await this.look();
  }

  async showLevel(level: string | null): Promise<void> {
    this.level = level;
    await this.look();
  }

  /** Looks for a text once nobody types any more. */
  type(text: string): void {
    this.typed = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.find(), pause);
  }

  /** Looks for what is in the field now. */
  async find(): Promise<void> {
    clearTimeout(this.timer);
    this.text = this.typed;
    await this.look();
  }

  /** Shows every line again. */
  async clear(): Promise<void> {
    this.source = 'both';
    this.level = null;
    this.typed = '';
    await this.find();
  }

  /** Puts the cursor on a line and opens it. */
  choose(place: number): void {
    this.lines.cursor = place;
    this.open = true;
  }

  close(): void {
    this.open = false;
    this.line.close();
  }

  /** Reads a line in full, and what was going on when it came. */
  async read(seq: number): Promise<void> {
    if (this.line.seq === seq) return;
    await Promise.all([this.line.open(seq), this.relate(seq)]);
  }

  /** The level that a server was last asked to send from. */
  levelOf({ id, news_revision, log_level }: ServerSummary): string | null {
    const { asked } = this;
    return asked !== null && asked.server === id && asked.news === news_revision ? asked.level : log_level;
  }

  async setLevel(server: ServerSummary, level: string): Promise<void> {
    const asked = { server: server.id, level, news: server.news_revision };
    this.asked = asked;
    this.refusal = null;
    try {
      await this.backend.call('set_log_level', { server: server.id, level });
    } catch (thrown) {
      if (this.asked !== asked) return;
      this.asked = null;
      this.refusal = { server: server.id, error: apiError(thrown) };
    }
  }

  private async relate(seq: number): Promise<void> {
    let rows: LogRow[] = [];
    let more = 0;
    let error: ApiError | null = null;
    try {
      ({ rows, more } = await this.backend.call('find_related', { seq }));
    } catch (thrown) {
      error = apiError(thrown);
    }
    if (this.line.seq === seq) this.related = { seq, rows, more, error };
  }

  private async look(): Promise<void> {
    this.close();
    if (this.server !== null) await this.lines.look(this.view(this.server));
  }

  private view(server: string): LogView {
    return {
      server,
      kind: null,
      lines: {
        messages: this.source !== 'stderr',
        stderr: this.source !== 'messages',
        // Stderr has no levels.
        level: this.source === 'stderr' ? null : this.level,
        text: this.text === '' ? null : this.text,
      },
    };
  }
}

const pause = 150;
