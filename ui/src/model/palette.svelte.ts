import type { Backend } from '../backend/backend';
import type { Hit, HitKind } from '../backend/bindings';
import { fit } from './fuzzy';

/** Something that can be gone to or done. The id stays the same between starts. */
export type Entry = {
  id: string;
  kind: HitKind | 'action' | 'saved';
  name: string;
  /** What else it answers to, and what is shown beside it. */
  about: string;
  hit: Hit | null;
  run: (() => void) | null;
};

/** Everything that can be reached by typing: servers, their tools, resources and prompts, and what can be done. */
export class Palette {
  query = $state('');
  cursor = $state(0);
  private hits = $state.raw<Hit[]>([]);
  /** How many the core found beyond those it gave. */
  private beyond = $state(0);
  private local = $state.raw<Entry[]>([]);
  private recent = $state.raw<string[]>([]);

  readonly found = $derived.by(() =>
    rank(this.query, [...this.local, ...this.hits.map(entryOf)], this.recent),
  );
  readonly shown = $derived(this.found.slice(0, most));
  readonly more = $derived(this.found.length - this.shown.length + this.beyond);
  readonly current = $derived(this.shown[Math.min(this.cursor, this.shown.length - 1)] ?? null);

  private generation = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly backend: Backend) {}

  /** Begins anew, with what can be done from here and what was used last. */
  open(local: Entry[], recent: string[]): void {
    this.query = '';
    this.cursor = 0;
    this.local = local;
    this.recent = recent;
    void this.search(this.query, (this.generation += 1));
  }

  /** The words changed: the list starts at its best match. The newest question wins. */
  type(query: string): void {
    this.query = query;
    this.cursor = 0;
    clearTimeout(this.timer);
    const generation = (this.generation += 1);
    this.timer = setTimeout(() => void this.search(query, generation), pause);
  }

  move(step: number): void {
    const count = this.shown.length;
    if (count > 0) this.cursor = (((Math.min(this.cursor, count - 1) + step) % count) + count) % count;
  }

  private async search(query: string, generation: number): Promise<void> {
    try {
      const { hits, total } = await this.backend.call('search_entries', { query, limit });
      if (generation !== this.generation) return;
      // Servers are known here already, with their names as they are written.
      this.hits = hits.filter((hit) => hit.kind !== 'server');
      this.beyond = Math.max(0, total - hits.length);
    } catch {
      // What can be done and the servers are found without it.
      if (generation === this.generation) this.hits = [];
    }
  }
}

export function entryOf(hit: Hit): Entry {
  return {
    id: `${hit.kind}:${hit.server}:${hit.name}`,
    kind: hit.kind,
    name: hit.name,
    // A tool is called by its whole name elsewhere, so it is found by it, too.
    about: [hit.title, hit.full_name ?? hit.server].filter(Boolean).join(' · '),
    hit,
    run: null,
  };
}

/** The best first; without words what was used last, then what can be done, then the rest. */
export function rank(query: string, entries: Entry[], recent: string[]): Entry[] {
  const places = new Map(recent.map((id, place) => [id, place]));
  const recency = (entry: Entry): number => places.get(entry.id) ?? recent.length;
  const scored = entries.flatMap((entry) => {
    const score = fit(query, `${entry.name} ${entry.about} ${entry.kind}`);
    const named = fit(query, entry.name);
    if (score === null && named === null) return [];
    return [{ entry, score: Math.max(score ?? 0, (named ?? 0) + 4) }];
  });
  if (query.trim() === '') {
    const order = ['server', 'saved', 'action', 'tool', 'prompt', 'resource', 'template'];
    return entries.toSorted(
      (one, other) => recency(one) - recency(other) || order.indexOf(one.kind) - order.indexOf(other.kind),
    );
  }
  return scored
    .toSorted((one, other) => other.score - one.score || recency(one.entry) - recency(other.entry))
    .map(({ entry }) => entry);
}

const pause = 60;
const limit = 200;
/** Rows in the page; the rest is found by typing on. */
const most = 100;
