import { apiError, type Backend } from '../backend/backend';
import type { ApiError, ServerSummary } from '../backend/bindings';
import { beginningOf, means } from '../json/beginning';
import { nothing, type Apply } from './apply';
import { requireWhole } from './whole';

/** What every entry that goes by a name has. */
export type Entry = {
  index: number;
  name: string;
  title: string | null;
  description: string | null;
  problem: string | null;
};

/** One listing of a server, as far as it came. */
export type Listing<E> = { entries: E[]; complete: boolean; problem: string | null };

/** What one server lists by name, what of it the filter leaves, and the entry that is looked at. */
export abstract class Catalog<
  E extends Entry,
  D extends { summary: E; name: string },
  L extends Listing<E> = Listing<E>,
> {
  server = $state<string | null>(null);
  list = $state.raw<E[]>([]);
  complete = $state(true);
  /** Why the listing stopped early or could not be had. */
  problem = $state<string | null>(null);
  loaded = $state(false);
  filter = $state('');
  selected = $state<number | null>(null);
  detail = $state.raw<D | null>(null);
  detailError = $state.raw<ApiError | null>(null);

  private readonly haystacks = $derived(
    this.list.map((each) => `${each.name}\n${each.title ?? ''}\n${each.description ?? ''}`.toLowerCase()),
  );
  readonly shown = $derived.by(() => {
    const words = this.filter.toLowerCase().split(/\s+/).filter(Boolean);
    // The texts to search are made only once somebody searches.
    const haystacks = words.length === 0 ? [] : this.haystacks;
    return this.list.filter(
      (each, place) => this.admits(each) && words.every((word) => haystacks[place]?.includes(word)),
    );
  });
  /** Names that more than one entry has: the window then shows their places too. */
  readonly repeated = $derived.by(() => {
    const seen = new Set<string>();
    return new Set(this.list.map((each) => each.name).filter((name) => seen.has(name) || !seen.add(name)));
  });
  /** Whether the server said that it has none, which a listing that failed or is not over does not say. */
  readonly none = $derived(this.loaded && this.complete && this.problem === null && this.list.length === 0);
  readonly current = $derived(this.list.find((each) => each.index === this.selected) ?? null);
  /** What the current one is asked for by. Of a long name the list has only the beginning, and it is known later. */
  readonly name = $derived.by(() => {
    const listed = this.current?.name ?? null;
    return this.detail?.name ?? (listed === null || beginningOf(listed) !== null ? null : listed);
  });

  /** What the list was fetched for: server, whether it is ready, and the revision of its catalog. */
  private key = '';
  private generation = 0;
  /** What was looked at last on each server, by name: indexes move when a list changes. */
  private readonly lastNames = new Map<string, string>();

  constructor(protected readonly backend: Backend) {}

  protected abstract readonly empty: L;
  protected abstract fetch(server: string): Promise<L>;
  protected abstract describe(server: string, entry: E): Promise<D>;
  /** Whether an entry is shown if the filter leaves it. */
  protected readonly admits: (entry: E) => boolean = () => true;

  /** What the list is narrowed by; empty where all of it is shown. */
  get narrowing(): string {
    return this.filter;
  }

  /** Shows more of the list again. */
  widen(): void {
    this.filter = '';
  }

  async select(index: number): Promise<void> {
    const { server, key } = this;
    if (server === null) return;
    this.selected = index;
    this.show(null);
    const { current } = this;
    if (current === null) return;
    this.lastNames.set(server, current.name);
    const described = await this.look(server, current);
    if (this.server === server && this.selected === index && this.key === key) this.show(described);
  }

  /** Looks at an entry by its name: at once where its list is here, otherwise as soon as it comes. */
  async seek(server: string, name: string): Promise<void> {
    this.lastNames.set(server, name);
    const found = this.server === server ? this.list.find((each) => means(each.name, name)) : undefined;
    if (found !== undefined) await this.select(found.index);
  }

  /** Refetches when the server is another one or its catalog changed. */
  protected async prepareList(server: ServerSummary | null): Promise<Apply> {
    const generation = (this.generation += 1);
    const key = catalogKey(server);
    if (key === this.key) return nothing;
    if (server === null || server.state !== 'ready') {
      return () => {
        if (generation !== this.generation) return;
        this.key = key;
        // What was listed and asked stays in sight when its server goes; only another server clears it.
        if (server === null || server.id !== this.server) this.replace(server, key, this.empty, null, null);
      };
    }
    const listing = await this.listing(server.id);
    const chosen = this.choose(server.id, listing.entries);
    const described = chosen === null ? null : await this.look(server.id, chosen);
    return () => {
      // Another server was chosen in the meantime.
      if (generation !== this.generation) return;
      // So was perhaps another entry, and what was found out about the old one is of no use.
      const now = this.choose(server.id, listing.entries);
      this.replace(server, key, listing, now, now === chosen ? described : null);
      if (now !== null && now !== chosen) void this.select(now.index);
    };
  }

  /** Another server is looked at: how the list of the last one was narrowed says nothing of its own. */
  protected leave(): void {
    this.filter = '';
  }

  protected put(listing: L): void {
    this.list = listing.entries;
    this.complete = listing.complete;
    this.problem = listing.problem;
  }

  private replace(
    server: ServerSummary | null,
    key: string,
    listing: L,
    chosen: E | null,
    described: Described<D> | null,
  ): void {
    if (this.server !== (server?.id ?? null)) this.leave();
    this.server = server?.id ?? null;
    this.key = key;
    this.loaded = server?.state === 'ready';
    this.put(listing);
    this.selected = chosen?.index ?? null;
    if (chosen !== null && server !== null) this.lastNames.set(server.id, chosen.name);
    this.show(described);
  }

  private show(described: Described<D> | null): void {
    this.detail = described?.detail ?? null;
    this.detailError = described?.error ?? null;
  }

  private async listing(server: string): Promise<L> {
    try {
      return await this.fetch(server);
    } catch (thrown) {
      return { ...this.empty, problem: apiError(thrown).message };
    }
  }

  private async look(server: string, entry: E): Promise<Described<D>> {
    try {
      const detail = await this.describe(server, entry);
      requireWhole('name', detail.name);
      // Whoever looks at it has its whole name.
      return { detail: { ...detail, summary: { ...detail.summary, name: detail.name } }, error: null };
    } catch (thrown) {
      return { detail: null, error: apiError(thrown) };
    }
  }

  private choose(server: string, entries: E[]): E | null {
    const name = this.lastNames.get(server);
    const same = (each: E): boolean => name !== undefined && means(each.name, name);
    return (
      entries.find((each) => each.index === this.selected && this.server === server && same(each)) ??
      entries.find(same) ??
      entries.find((each) => each.problem === null) ??
      entries[0] ??
      null
    );
  }
}

type Described<D> = { detail: D | null; error: ApiError | null };

/** What lists are fetched for: they are the same for as long as it is. */
export function catalogKey(server: ServerSummary | null): string {
  return JSON.stringify([server?.id, server?.state === 'ready', server?.catalog_revision]);
}
