import { apiError } from '../backend/backend';
import type {
  ApiError,
  GoneTool,
  ServerSummary,
  ToolChange,
  ToolDetail,
  ToolSummary,
} from '../backend/bindings';
import { means } from '../json/beginning';
import type { Apply } from './apply';
import { Catalog, type Listing } from './catalog.svelte';

/** The tools of one server, and how they differ from what the person has seen of them. */
export class Tools extends Catalog<ToolSummary, ComparedTool, ToolListing> {
  /** What is pinned first. */
  gone = $state.raw<GoneTool[]>([]);
  /** Only those that differ from what the person has seen. */
  onlyChanged = $state(false);
  /** Why a change could not be accepted, or a tool not be pinned. */
  refusal = $state.raw<ApiError | null>(null);

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
  /** How the one that is looked at differs from what the person has seen. */
  readonly change = $derived(this.detail?.change ?? null);

  protected override readonly admits = (tool: ToolSummary): boolean =>
    !this.onlyChanged || tool.change !== null;
  protected readonly empty = { entries: [], gone: [], catalog_revision: 0, complete: true, problem: null };
  /** Which list is shown: what the person says of it holds for no other. */
  private revision = 0;

  override get narrowing(): string {
    return `${this.filter}${this.onlyChanged ? '\n' : ''}`;
  }

  /** The filter goes first, then what is not new is shown again. */
  override widen(): void {
    if (this.filter === '') this.onlyChanged = false;
    this.filter = '';
  }

  prepare(server: ServerSummary | null): Promise<Apply> {
    return this.prepareList(server);
  }

  /** Takes what a tool, or all of them, are now as seen. */
  async accept(tool: string | null): Promise<void> {
    const { server, revision } = this;
    if (server === null) return;
    const accepted = await this.edit(
      server,
      () => this.backend.call('accept_changes', { server, tool, catalog_revision: revision }),
      tool,
      { change: null },
    );
    if (!accepted || tool !== null) return;
    this.gone = this.gone.filter(({ pinned }) => pinned);
    this.onlyChanged = false;
  }

  /** A tool is pinned as it is now, which the person has then seen; it can't be called once it is another one. */
  async pin(tool: string, pinned: boolean): Promise<void> {
    const { server, revision } = this;
    if (server === null) return;
    const done = await this.edit(
      server,
      () => this.backend.call('pin_tool', { server, tool, pinned, catalog_revision: revision }),
      tool,
      { pinned, ...(pinned ? { change: null } : {}) },
    );
    if (done) this.gone = this.gone.map((each) => (each.name === tool ? { ...each, pinned } : each));
  }

  protected async fetch(server: string): Promise<ToolListing> {
    const { tools, ...rest } = await this.backend.call('list_tools', { server });
    return { entries: tools, ...rest };
  }

  protected async describe(server: string, { index, change }: ToolSummary): Promise<ComparedTool> {
    const detail = await this.backend.call('describe_tool', { server, index });
    // Of one that is new there is nothing to compare it with.
    return {
      ...detail,
      change: change === 'changed' ? await this.describeChange(server, detail.name) : null,
    };
  }

  protected override leave(): void {
    super.leave();
    this.onlyChanged = false;
    this.refusal = null;
  }

  protected override put(listing: ToolListing): void {
    super.put(listing);
    this.revision = listing.catalog_revision;
    this.gone = listing.gone;
  }

  /** What was just done shows at once, also where the server is gone and lists nothing. */
  private async edit(
    server: string,
    deed: () => Promise<unknown>,
    name: string | null,
    part: Partial<ToolSummary>,
  ): Promise<boolean> {
    this.refusal = null;
    try {
      await deed();
    } catch (thrown) {
      if (this.server === server) this.refusal = apiError(thrown);
      return false;
    }
    if (this.server !== server) return false;
    const edited = (tool: ToolSummary): ToolSummary =>
      name === null || means(tool.name, name) ? { ...tool, ...part } : tool;
    this.list = this.list.map(edited);
    if (this.detail !== null) {
      const summary = edited(this.detail.summary);
      this.detail = { ...this.detail, summary, change: summary.change === 'changed' ? this.change : null };
    }
    return true;
  }

  /** A tool can be looked at and called whether or not anyone knows how it was before. */
  private async describeChange(server: string, tool: string): Promise<ToolChange | null> {
    try {
      return await this.backend.call('describe_change', { server, tool });
    } catch {
      return null;
    }
  }
}

/** Everything about a tool, and how it differs from what the person has seen. */
type ComparedTool = ToolDetail & { change: ToolChange | null };

type ToolListing = Listing<ToolSummary> & { gone: GoneTool[]; catalog_revision: number };
