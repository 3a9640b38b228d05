import { apiError, type Backend } from '../backend/backend';
import type {
  ApiError,
  Arrangement,
  Commands,
  ConfigProblem,
  Keeper,
  ServerDetail,
  ServerList,
  ServerSummary,
} from '../backend/bindings';
import { nothing, type Apply } from './apply';
import { sections } from './arrangement';

/** The servers of the configuration, and the one that is looked at. */
export class Servers {
  list = $state.raw<ServerSummary[]>([]);
  arrangement = $state.raw<Arrangement>({ groups: [] });
  problems = $state.raw<ConfigProblem[]>([]);
  keeper = $state.raw<Keeper>({ kind: 'keyring', notice: null });
  loaded = $state(false);
  selected = $state<string | null>(null);
  /** Everything about the selected server; none until it arrived, or when it can't be read. */
  detail = $state.raw<ServerDetail | null>(null);
  /** Why the last connect or disconnect was refused, and of which server. */
  refusal = $state.raw<{ server: string; error: ApiError } | null>(null);

  readonly sections = $derived(sections(this.list, this.arrangement));
  readonly current = $derived(this.list.find((each) => each.id === this.selected) ?? null);
  readonly starting = $derived(this.list.some((each) => each.state === 'starting'));
  readonly connected = $derived(
    this.list.filter((each) => each.state === 'ready' || each.state === 'starting' || each.retry !== null)
      .length,
  );

  private revision = -1;
  /** Servers that are to be connected as soon as they have stopped. */
  private readonly again = new Set<string>();

  constructor(
    private readonly backend: Backend,
    private readonly remembered: string | null = null,
  ) {}

  async prepare(revision: number): Promise<Apply> {
    if (revision === this.revision) return nothing;
    const list = await this.backend.call('list_servers', {});
    const chosen = this.choose(list.servers);
    const detail = chosen === null ? null : await this.describe(chosen);
    return () => {
      this.revision = revision;
      this.show(list);
      // The person may have chosen another one while this was on its way.
      if (this.selected === null || !list.servers.some((each) => each.id === this.selected))
        this.selected = chosen;
      if (this.selected === chosen) this.detail = detail;
      this.connectStopped();
    };
  }

  /** Reads the list now: what was just written down is to be looked at before anyone says that it is there. */
  async reload(): Promise<void> {
    try {
      this.show(await this.backend.call('list_servers', {}));
    } catch {
      // The loop that follows changes meets the same failure and says so.
    }
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
    this.again.delete(id);
    await this.ask('disconnect_server', id);
  }

  /** Disconnects, and connects with what the configuration says now. */
  async reconnect(id: string): Promise<void> {
    this.again.add(id);
    await this.ask('disconnect_server', id);
    this.connectStopped();
  }

  async dismissDifference(id: string): Promise<void> {
    await this.ask('dismiss_difference', id);
  }

  /** Shown at once; where the core refuses it is shown as it was. */
  async arrange(arrangement: Arrangement): Promise<ApiError | null> {
    const before = this.arrangement;
    this.arrangement = arrangement;
    try {
      await this.backend.call('arrange_servers', arrangement);
      return null;
    } catch (thrown) {
      this.arrangement = before;
      return apiError(thrown);
    }
  }

  private show(list: ServerList): void {
    this.list = list.servers;
    this.arrangement = list.arrangement;
    this.problems = list.problems;
    this.keeper = list.keeper;
    this.loaded = true;
  }

  private connectStopped(): void {
    for (const id of this.again) {
      const state = this.list.find((each) => each.id === id)?.state;
      if (state === 'stopping' || state === 'ready' || state === 'starting') continue;
      this.again.delete(id);
      if (state !== undefined) void this.connect(id);
    }
  }

  private async ask(command: AboutOne, id: string): Promise<void> {
    this.refusal = null;
    try {
      await this.backend.call(command, { server: id });
    } catch (thrown) {
      this.again.delete(id);
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

type AboutOne = keyof Commands & ('connect_server' | 'disconnect_server' | 'dismiss_difference');
