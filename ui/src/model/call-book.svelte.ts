import { apiError, type Backend } from '../backend/backend';
import type { ApiError, Call } from '../backend/bindings';
import { nothing, type Apply } from './apply';

/** Calls that are shown, kept in step with the core whatever overtakes whatever. */
export abstract class CallBook {
  /** Newest first. */
  list = $state.raw<Call[]>([]);
  /** Why the last request could not even be sent. */
  refusal = $state.raw<ApiError | null>(null);
  /** The call that is shown; the newest unless the person chose another one. */
  chosen = $state<number | null>(null);

  readonly running = $derived(this.list.filter((call) => call.status === 'running'));
  /** Those that can be looked at, newest first. */
  readonly history: Call[] = $derived(this.list);
  readonly shown = $derived(this.history.find((call) => call.id === this.chosen) ?? this.history[0] ?? null);
  /** The newest one before the shown one that brought a result. */
  readonly before = $derived.by(() => {
    const { shown } = this;
    return this.history.find((call) => shown !== null && call.id < shown.id && call.result !== null) ?? null;
  });

  /** Requests for calls that are on their way: what they answer may be older than the changes that overtake them. */
  private asking = 0;
  /** Calls that changed while a request was on its way; empty when none is. */
  private readonly overtaken = new Set<number>();

  constructor(protected readonly backend: Backend) {}

  /** Whether a call belongs here now: the person may have gone elsewhere while it was on its way. */
  protected abstract holds(call: Call): boolean;

  /** Shows a call; the newest of them makes way for a newer one. */
  choose(call: number): void {
    this.chosen = call === this.history[0]?.id ? null : call;
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
  protected async take(request: () => Promise<Call[]>): Promise<void> {
    this.asking += 1;
    let stale: number[] = [];
    try {
      this.put(await request());
      stale = this.list
        .filter((call) => call.status === 'running' && this.overtaken.has(call.id))
        .map((call) => call.id);
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
    return () => this.put(calls);
  }

  /** A call that ended stays as it ended: answers may arrive out of order. */
  private put(calls: Call[]): void {
    const byId = new Map(this.list.map((call) => [call.id, call]));
    for (const call of calls.filter((each) => this.holds(each))) {
      const known = byId.get(call.id);
      if (known === undefined || known.status === 'running' || call.status !== 'running')
        byId.set(call.id, call);
    }
    this.list = [...byId.values()].sort((a, b) => b.id - a.id);
  }
}
