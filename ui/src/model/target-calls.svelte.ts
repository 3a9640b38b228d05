import type { Backend } from '../backend/backend';
import type { Call } from '../backend/bindings';
import { CallBook } from './call-book.svelte';

/** The requests of one method about one thing of a server: a tool, a prompt, a task. */
export class TargetCalls extends CallBook {
  private server: string | null = null;
  private target: string | null = null;

  constructor(
    backend: Backend,
    private readonly method: string,
  ) {
    super(backend);
  }

  /** Shows the calls about something else. */
  async open(server: string | null, target: string | null): Promise<void> {
    if (server === this.server && target === this.target) return;
    this.server = server;
    this.target = target;
    this.list = [];
    this.chosen = null;
    this.refusal = null;
    await this.reload();
  }

  /** For when nobody looked for a while: what changed then was not told. */
  async reload(): Promise<void> {
    const { server, target, method } = this;
    if (server === null || target === null) return;
    await this.take(async () => {
      const { calls } = await this.backend.call('list_calls', { server, method, target });
      return calls;
    });
  }

  async start(request: () => Promise<Call>): Promise<void> {
    this.refusal = null;
    await this.take(async () => {
      const call = await request();
      if (this.holds(call)) this.chosen = null;
      return [call];
    });
  }

  protected holds(call: Call): boolean {
    return call.server === this.server && call.method === this.method && call.target === this.target;
  }
}
