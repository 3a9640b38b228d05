import { apiError, type Backend } from '../backend/backend';
import type { ApiError, Call } from '../backend/bindings';
import { nothing, type Apply } from './apply';

/** The calls of one tool: running ones, the result that is shown, and the earlier ones. */
export class Calls {
  /** Newest first. */
  list = $state.raw<Call[]>([]);
  /** The call whose result is shown; the newest unless the person chose another one. */
  chosen = $state<number | null>(null);
  /** Why the last call could not even be started. */
  refusal = $state.raw<ApiError | null>(null);
  /** Whether any tool was called from this window. */
  called = $state(false);

  readonly shown = $derived(this.list.find((call) => call.id === this.chosen) ?? this.list[0] ?? null);
  readonly running = $derived(this.list.filter((call) => call.status === 'running'));

  private server: string | null = null;
  private tool: string | null = null;

  constructor(private readonly backend: Backend) {}

  /** Shows the calls of another tool. */
  async open(server: string | null, tool: string | null): Promise<void> {
    if (server === this.server && tool === this.tool) return;
    this.server = server;
    this.tool = tool;
    this.list = [];
    this.chosen = null;
    this.refusal = null;
    if (server === null || tool === null) return;
    let calls: Call[] = [];
    try {
      ({ calls } = await this.backend.call('list_calls', { server, tool }));
    } catch (thrown) {
      this.refusal = apiError(thrown);
    }
    if (server === this.server && tool === this.tool) this.put(calls);
  }

  async start(server: string, tool: string, args: string): Promise<void> {
    this.refusal = null;
    this.called = true;
    try {
      const call = await this.backend.call('call_tool', { server, tool, arguments: args });
      if (server !== this.server || tool !== this.tool) return;
      this.put([call]);
      this.chosen = null;
    } catch (thrown) {
      this.refusal = apiError(thrown);
    }
  }

  async cancel(call: number): Promise<void> {
    try {
      await this.backend.call('cancel_call', { call });
    } catch (thrown) {
      // A call that ended in the meantime is no problem: its result says so.
      const error = apiError(thrown);
      if (error.code !== 'unknown-call') this.refusal = error;
    }
  }

  /** Rereads the calls that changed, of those that are known here. */
  async prepare(changed: number[]): Promise<Apply> {
    const known = changed.filter((id) => this.list.some((call) => call.id === id));
    if (known.length === 0) return nothing;
    const results = await Promise.allSettled(known.map((call) => this.backend.call('read_call', { call })));
    const calls = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    return () => this.put(calls.filter((call) => call.server === this.server && call.tool === this.tool));
  }

  private put(calls: Call[]): void {
    const byId = new Map([...this.list, ...calls].map((call) => [call.id, call]));
    this.list = [...byId.values()].sort((a, b) => b.id - a.id);
  }
}
