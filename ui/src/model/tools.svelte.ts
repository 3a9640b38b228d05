import { apiError, type Backend } from '../backend/backend';
import type { ApiError, ServerSummary, ToolDetail, ToolList, ToolSummary } from '../backend/bindings';
import { nothing, type Apply } from './apply';

/** The tools of one server, what of them the filter leaves, and the one that is looked at. */
export class Tools {
  server = $state<string | null>(null);
  list = $state.raw<ToolSummary[]>([]);
  complete = $state(true);
  /** Why the listing stopped early or could not be had. */
  problem = $state<string | null>(null);
  loaded = $state(false);
  filter = $state('');
  selected = $state<number | null>(null);
  detail = $state.raw<ToolDetail | null>(null);
  detailError = $state.raw<ApiError | null>(null);

  private readonly haystacks = $derived(
    this.list.map((tool) => `${tool.name}\n${tool.title ?? ''}\n${tool.description ?? ''}`.toLowerCase()),
  );
  readonly shown = $derived.by(() => {
    const words = this.filter.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return this.list;
    return this.list.filter((_, place) => words.every((word) => this.haystacks[place]?.includes(word)));
  });
  /** Names that more than one entry has: the window then shows their places too. */
  readonly repeated = $derived.by(() => {
    const seen = new Set<string>();
    return new Set(this.list.map((tool) => tool.name).filter((name) => seen.has(name) || !seen.add(name)));
  });
  /** Whether the server said that it has none, which a listing that failed or is not over does not say. */
  readonly none = $derived(this.loaded && this.complete && this.problem === null && this.list.length === 0);
  readonly current = $derived(this.list.find((tool) => tool.index === this.selected) ?? null);

  /** What the list was fetched for: server, whether it is ready, and the revision of its catalog. */
  private key = '';
  private generation = 0;
  /** What was looked at last on each server, by name: indexes move when a list changes. */
  private readonly lastNames = new Map<string, string>();

  constructor(private readonly backend: Backend) {}

  /** Refetches when the server is another one or its catalog changed. */
  async prepare(server: ServerSummary | null): Promise<Apply> {
    const generation = (this.generation += 1);
    const key = keyOf(server);
    if (key === this.key) return nothing;
    if (server === null || server.state !== 'ready') {
      return () => {
        if (generation !== this.generation) return;
        this.key = key;
        // What was listed and called stays in sight when its server goes; only another server clears it.
        if (server === null || server.id !== this.server) this.replace(server, key, emptyList, null, null);
      };
    }
    let list = emptyList;
    let problem: string | null = null;
    try {
      list = await this.backend.call('list_tools', { server: server.id });
    } catch (thrown) {
      problem = apiError(thrown).message;
    }
    const chosen = this.choose(server.id, list.tools);
    const described = chosen === null ? null : await this.describe(server.id, chosen.index);
    return () => {
      // Another server was chosen in the meantime.
      if (generation !== this.generation) return;
      this.replace(server, key, { ...list, problem: problem ?? list.problem }, chosen, described);
    };
  }

  async select(index: number): Promise<void> {
    if (this.server === null) return;
    const server = this.server;
    const key = this.key;
    this.selected = index;
    this.detail = null;
    this.detailError = null;
    const name = this.current?.name;
    if (name !== undefined) this.lastNames.set(server, name);
    const described = await this.describe(server, index);
    if (this.server === server && this.selected === index && this.key === key) this.show(described);
  }

  private replace(
    server: ServerSummary | null,
    key: string,
    list: ToolList,
    chosen: ToolSummary | null,
    described: Described | null,
  ): void {
    if (this.server !== (server?.id ?? null)) this.filter = '';
    this.server = server?.id ?? null;
    this.key = key;
    this.list = list.tools;
    this.complete = list.complete;
    this.problem = list.problem;
    this.loaded = server?.state === 'ready';
    this.selected = chosen?.index ?? null;
    if (chosen !== null && server !== null) this.lastNames.set(server.id, chosen.name);
    this.show(described);
  }

  private show(described: Described | null): void {
    this.detail = described?.detail ?? null;
    this.detailError = described?.error ?? null;
  }

  private async describe(server: string, index: number): Promise<Described> {
    try {
      return { detail: await this.backend.call('describe_tool', { server, index }), error: null };
    } catch (thrown) {
      return { detail: null, error: apiError(thrown) };
    }
  }

  private choose(server: string, tools: ToolSummary[]): ToolSummary | null {
    const name = this.lastNames.get(server);
    const same = tools.find(
      (tool) => tool.index === this.selected && tool.name === name && this.server === server,
    );
    return (
      same ??
      tools.find((tool) => tool.name === name) ??
      tools.find((tool) => tool.problem === null) ??
      tools[0] ??
      null
    );
  }
}

type Described = { detail: ToolDetail | null; error: ApiError | null };

function keyOf(server: ServerSummary | null): string {
  return JSON.stringify([server?.id, server?.state === 'ready', server?.catalog_revision]);
}

const emptyList: ToolList = { tools: [], gone: [], complete: true, problem: null };
