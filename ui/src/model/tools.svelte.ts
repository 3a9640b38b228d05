import { apiError, type Backend } from '../backend/backend';
import type {
  ApiError,
  ServerSummary,
  ToolChange,
  ToolDetail,
  ToolList,
  ToolSummary,
} from '../backend/bindings';
import { nothing, type Apply } from './apply';

/** The tools of one server, what of them the filter leaves, and the one that is looked at. */
export class Tools {
  server = $state<string | null>(null);
  list = $state.raw<ToolSummary[]>([]);
  complete = $state(true);
  /** Why the listing stopped early or could not be had. */
  problem = $state<string | null>(null);
  loaded = $state(false);
  /** Names of tools that the person has seen and that are not there any more. */
  gone = $state.raw<string[]>([]);
  filter = $state('');
  /** Only those that differ from what the person has seen. */
  onlyChanged = $state(false);
  selected = $state<number | null>(null);
  detail = $state.raw<ToolDetail | null>(null);
  detailError = $state.raw<ApiError | null>(null);
  /** How the one that is looked at differs from what the person has seen. */
  change = $state.raw<ToolChange | null>(null);
  /** Why a change could not be accepted, or a tool not be pinned. */
  refusal = $state.raw<ApiError | null>(null);

  private readonly haystacks = $derived(
    this.list.map((tool) => `${tool.name}\n${tool.title ?? ''}\n${tool.description ?? ''}`.toLowerCase()),
  );
  private readonly words = $derived(this.filter.toLowerCase().split(/\s+/).filter(Boolean));
  readonly shown = $derived.by(() => {
    const { words, haystacks, onlyChanged } = this;
    if (words.length === 0 && !onlyChanged) return this.list;
    return this.list.filter(
      (tool, place) =>
        (!onlyChanged || tool.change !== null) && words.every((word) => haystacks[place]?.includes(word)),
    );
  });
  /** How many differ from what the person has seen, and in what way. */
  readonly news = $derived.by(() => {
    const news = { changed: 0, fresh: 0, gone: this.gone.length };
    for (const tool of this.list) {
      if (tool.change === 'changed') news.changed += 1;
      else if (tool.change === 'new') news.fresh += 1;
    }
    return news;
  });
  /** Whether any has a picture: the names of all then begin where they leave room for one. */
  readonly pictured = $derived(this.list.some((tool) => tool.icon !== null));
  /** Names that more than one entry has: the window then shows their places too. */
  readonly repeated = $derived.by(() => {
    const seen = new Set<string>();
    return new Set(this.list.map((tool) => tool.name).filter((name) => seen.has(name) || !seen.add(name)));
  });
  /** Whether the server said that it has none, which a listing that failed or is not over does not say. */
  readonly none = $derived(this.loaded && this.complete && this.problem === null && this.list.length === 0);
  readonly current = $derived(this.list.find((tool) => tool.index === this.selected) ?? null);

  /** Which list is shown: what the person says of it holds for no other. */
  private revision = 0;
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
    const described = chosen === null ? null : await this.describe(server.id, chosen);
    return () => {
      // Another server was chosen in the meantime.
      if (generation !== this.generation) return;
      // So was perhaps another tool, and what was found out about the old one is of no use.
      const now = this.choose(server.id, list.tools);
      const same = now?.index === chosen?.index && now?.name === chosen?.name;
      const found = { ...list, problem: problem ?? list.problem };
      this.replace(server, key, found, now, same ? described : null);
      if (!same && now !== null) void this.select(now.index);
    };
  }

  async select(index: number): Promise<void> {
    if (this.server === null) return;
    const server = this.server;
    const key = this.key;
    this.selected = index;
    this.show(null);
    const tool = this.current;
    if (tool === null) return;
    this.lastNames.set(server, tool.name);
    const described = await this.describe(server, tool);
    if (this.server === server && this.selected === index && this.key === key) this.show(described);
  }

  /** Takes what a tool, or all of them, are now as seen. */
  async accept(tool: string | null): Promise<void> {
    const { server } = this;
    if (server === null) return;
    await this.edit(
      server,
      () => this.backend.call('accept_changes', { server, tool, catalog_revision: this.revision }),
      tool,
      {
        change: null,
      },
    );
    if (tool === null && this.server === server && this.refusal === null) {
      this.gone = [];
      this.onlyChanged = false;
    }
  }

  /** A tool is pinned as it is now, which the person has then seen; it can't be called once it is another one. */
  async pin(tool: string, pinned: boolean): Promise<void> {
    const { server } = this;
    if (server === null) return;
    await this.edit(
      server,
      () => this.backend.call('pin_tool', { server, tool, pinned, catalog_revision: this.revision }),
      tool,
      {
        pinned,
        ...(pinned ? { change: null } : {}),
      },
    );
  }

  /** What was just done shows at once, also where the server is gone and lists nothing. */
  private async edit(
    server: string,
    deed: () => Promise<unknown>,
    name: string | null,
    part: Partial<ToolSummary>,
  ): Promise<void> {
    this.refusal = null;
    try {
      await deed();
    } catch (thrown) {
      if (this.server === server) this.refusal = apiError(thrown);
      return;
    }
    if (this.server !== server) return;
    const edited = (tool: ToolSummary): ToolSummary =>
      name === null || tool.name === name ? { ...tool, ...part } : tool;
    this.list = this.list.map(edited);
    if (this.detail !== null) this.detail = { ...this.detail, summary: edited(this.detail.summary) };
    if (this.detail?.summary.change !== 'changed') this.change = null;
  }

  private replace(
    server: ServerSummary | null,
    key: string,
    list: ToolList,
    chosen: ToolSummary | null,
    described: Described | null,
  ): void {
    if (this.server !== (server?.id ?? null)) {
      this.filter = '';
      this.onlyChanged = false;
      this.refusal = null;
    }
    this.server = server?.id ?? null;
    this.key = key;
    this.gone = list.gone;
    this.revision = list.catalog_revision;
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
    this.change = described?.change ?? null;
  }

  private async describe(server: string, tool: ToolSummary): Promise<Described> {
    try {
      const [detail, change] = await Promise.all([
        this.backend.call('describe_tool', { server, index: tool.index }),
        // Of one that is new there is nothing to compare it with.
        tool.change === 'changed' ? this.describeChange(server, tool.name) : null,
      ]);
      return { detail, change, error: null };
    } catch (thrown) {
      return { detail: null, change: null, error: apiError(thrown) };
    }
  }

  /** A tool can be looked at and called whether or not anyone knows how it was before. */
  private async describeChange(server: string, tool: string): Promise<ToolChange | null> {
    try {
      return await this.backend.call('describe_change', { server, tool });
    } catch {
      return null;
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

type Described = { detail: ToolDetail | null; change: ToolChange | null; error: ApiError | null };

function keyOf(server: ServerSummary | null): string {
  return JSON.stringify([server?.id, server?.state === 'ready', server?.catalog_revision]);
}

const emptyList: ToolList = { tools: [], gone: [], catalog_revision: 0, complete: true, problem: null };
