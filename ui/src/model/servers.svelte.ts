import { apiError, type Backend } from '../backend/backend';
import type { ApiError, ConfigProblem, Layer, ServerDetail, ServerSummary } from '../backend/bindings';
import { nothing, type Apply } from './apply';

/** The servers of the configuration, and the one that is looked at. */
export class Servers {
  list = $state.raw<ServerSummary[]>([]);
  problems = $state.raw<ConfigProblem[]>([]);
  loaded = $state(false);
  selected = $state<string | null>(null);
  /** Everything about the selected server; none until it arrived, or when it can't be read. */
  detail = $state.raw<ServerDetail | null>(null);
  /** Why the last connect or disconnect was refused, and of which server. */
  refusal = $state.raw<{ server: string; error: ApiError } | null>(null);

  readonly groups = $derived(groupByLayer(this.list));
  readonly current = $derived(this.list.find((each) => each.id === this.selected) ?? null);
  readonly starting = $derived(this.list.some((each) => each.state === 'starting'));

  private revision = -1;

  constructor(
    private readonly backend: Backend,
    private readonly remembered: string | null = null,
  ) {}

  async prepare(revision: number): Promise<Apply> {
    if (revision === this.revision) return nothing;
    const { servers, problems } = await this.backend.call('list_servers', {});
    const chosen = this.choose(servers);
    const detail = chosen === null ? null : await this.describe(chosen);
    return () => {
      this.revision = revision;
      this.list = servers;
      this.problems = problems;
      this.loaded = true;
      // The person may have chosen another one while this was on its way.
      if (this.selected === null || !servers.some((each) => each.id === this.selected))
        this.selected = chosen;
      if (this.selected === chosen) this.detail = detail;
    };
  }

  async select(id: string): Promise<void> {
    if (this.selected === id) return;
    this.selected = id;
    this.detail = null;
    const detail = await this.describe(id);
    if (this.selected === id) this.detail = detail;
  }

  async connect(id: string): Promise<void> {
    await this.ask('connect_server', id);
  }

  async disconnect(id: string): Promise<void> {
    await this.ask('disconnect_server', id);
  }

  private async ask(command: 'connect_server' | 'disconnect_server', id: string): Promise<void> {
    this.refusal = null;
    try {
      await this.backend.call(command, { server: id });
    } catch (thrown) {
      this.refusal = { server: id, error: apiError(thrown) };
    }
  }

  private async describe(id: string): Promise<ServerDetail | null> {
    try {
      return await this.backend.call('describe_server', { server: id });
    } catch {
      // Gone between the list and this; the next list says so.
      return null;
    }
  }

  /** The one looked at, else the one of last time, else the built-in one, else the first. */
  private choose(servers: ServerSummary[]): string | null {
    const known = (id: string | null): boolean => servers.some((each) => each.id === id);
    if (known(this.selected)) return this.selected;
    if (known(this.remembered)) return this.remembered;
    return (servers.find((each) => each.origin.layer === 'built-in') ?? servers[0])?.id ?? null;
  }
}

export type LayerGroup = { layer: Layer; title: string; servers: ServerSummary[] };

/** The nearest configuration first; a layer without servers is left out. */
export function groupByLayer(servers: ServerSummary[]): LayerGroup[] {
  const layers: [Layer, string][] = [
    ['typed', 'TYPED'],
    ['project', 'PROJECT'],
    ['global', 'GLOBAL'],
    ['built-in', 'BUILT IN'],
    ['typed', 'TYPED'],
  ];
  return layers
    .map(([layer, title]) => ({
      layer,
      title,
      servers: servers.filter((each) => each.origin.layer === layer),
    }))
    .filter((group) => group.servers.length > 0);
}
