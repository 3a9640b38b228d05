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

  readonly shown = $derived(this.list.find((call) => call.id === this.chosen) ?? this.list[0] ?? null);
  readonly running = $derived(this.list.filter((call) => call.status === 'running'));

  private server: string | null = null;
  private tool: string | null = null;
  /** Requests for calls that are on their way: what they answer may be older than the changes that overtake them. */
  private asking = 0;
  /** Calls that changed while a request was on its way; empty when none is. */
  private readonly overtaken = new Set<number>();

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
    await this.take(server, tool, async () => {
      const { calls } = await this.backend.call('list_calls', { server, tool });
      return calls;
    });
  }

  async start(server: string, tool: string, args: string): Promise<void> {
    this.refusal = null;
    await this.take(server, tool, async () => {
      const call = await this.backend.call('call_tool', { server, tool, arguments: args });
      if (this.isOf(server, tool)) this.chosen = null;
      return [call];
    });
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
    if (this.asking > 0) for (const id of changed) this.overtaken.add(id);
    const known = changed.filter((id) => this.list.some((call) => call.id === id));
    return known.length === 0 ? nothing : this.reread(known);
  }

  /** Puts what a request brings, and rereads what changed while it was on its way. */
  private async take(server: string, tool: string, request: () => Promise<Call[]>): Promise<void> {
    this.asking += 1;
    let stale: number[] = [];
    try {
      const calls = await request();
      if (this.isOf(server, tool)) {
        this.put(calls);
        stale = this.list
          .filter((call) => call.status === 'running' && this.overtaken.has(call.id))
          .map((call) => call.id);
      }
    } catch (thrown) {
      this.refusal = apiError(thrown);
    } finally {
      this.asking -= 1;
      if (this.asking === 0) this.overtaken.clear();
    }
    if (stale.length > 0) (await this.reread(stale))();
  }

  private async reread(ids: number[]): Promise<Apply> {
    const results = await Promise.allSettled(ids.map((call) => this.backend.call('read_call', { call })));
    const calls = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    return () => this.put(calls.filter((call) => this.isOf(call.server, call.tool)));
  }

  /** A call that ended stays as it ended: answers may arrive out of order. */
  private put(calls: Call[]): void {
    const byId = new Map(this.list.map((call) => [call.id, call]));
    for (const call of calls) {
      const known = byId.get(call.id);
      if (known === undefined || known.status === 'running' || call.status !== 'running')
        byId.set(call.id, call);
    }
    this.list = [...byId.values()].sort((a, b) => b.id - a.id);
  }

  private isOf(server: string, tool: string): boolean {
    return server === this.server && tool === this.tool;
  }
}
