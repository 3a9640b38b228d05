import { apiError, type Backend } from '../backend/backend';
import type { ApiError, Changes, Repeat, ServerSummary } from '../backend/bindings';
import { nothing, type Apply } from './apply';
import type { Follower } from './follower';

/** One call, many times: the last run of each tool, kept in step while it goes on. */
export class Repeats implements Follower {
  /** Newest last. */
  private list = $state.raw<Repeat[]>([]);
  /** Why the last run could not be begun or stopped. */
  refusal = $state.raw<ApiError | null>(null);

  constructor(private readonly backend: Backend) {}

  of(server: string, tool: string): Repeat | null {
    return this.list.findLast((run) => run.server === server && run.tool === tool) ?? null;
  }

  async start(request: {
    server: string;
    tool: string;
    arguments: string;
    times: number;
    at_once: number;
  }): Promise<void> {
    this.refusal = null;
    try {
      this.put([await this.backend.call('repeat_tool', request)]);
    } catch (thrown) {
      this.refusal = apiError(thrown);
    }
  }

  async stop(repeat: number): Promise<void> {
    try {
      await this.backend.call('cancel_repeat', { repeat });
    } catch (thrown) {
      this.refusal = apiError(thrown);
    }
  }

  /** Takes a run that has ended out of sight. */
  dismiss(id: number): void {
    this.list = this.list.filter((run) => run.id !== id || run.running);
  }

  async prepare(server: ServerSummary | null, changes: Changes | null): Promise<Apply> {
    void server;
    void changes;
    const running = this.list.filter((run) => run.running);
    if (running.length === 0) return nothing;
    const read = await Promise.all(
      running.map(async (run): Promise<Repeat> => {
        try {
          return await this.backend.call('read_repeat', { repeat: run.id });
        } catch (thrown) {
          // What the core knows no more does not go on.
          return { ...run, running: false, first_error: run.first_error ?? apiError(thrown) };
        }
      }),
    );
    return () => this.put(read);
  }

  /** A run that ended stays as it ended: answers may arrive out of order. */
  private put(runs: Repeat[]): void {
    const byId = new Map(this.list.map((run) => [run.id, run]));
    for (const run of runs) {
      const known = byId.get(run.id);
      if (known === undefined || (known.running && run.done >= known.done)) byId.set(run.id, run);
    }
    this.list = [...byId.values()].slice(-mostKept);
  }
}

const mostKept = 50;

/** Calls that ended otherwise than well. */
export function failedOf(run: Repeat): number {
  return run.tool_errors + run.protocol_errors + run.unanswered;
}

/** Calls that ended, per second. */
export function paceOf(run: Repeat): number | null {
  return run.elapsed_ms > 0 && run.done > 0 ? run.done / (run.elapsed_ms / 1000) : null;
}
