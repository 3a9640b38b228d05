import type { Call, CallToolRequest, Violation } from '../backend/bindings';
import { CallBook } from './call-book.svelte';
import { OpenContent } from './content.svelte';

/** What may be said about one call, beside its arguments. */
export type CallOptions = Pick<CallToolRequest, 'meta' | 'timeout_ms' | 'task'>;

/** The calls of one tool: running ones, the result that is shown, and the earlier ones. */
export class Calls extends CallBook {
  /** The call whose result is shown; the newest unless the person chose another one. */
  chosen = $state<number | null>(null);

  readonly shown = $derived(this.list.find((call) => call.id === this.chosen) ?? this.list[0] ?? null);

  private server: string | null = null;
  private tool: string | null = null;

  /** Shows the calls of another tool. */
  async open(server: string | null, tool: string | null): Promise<void> {
    if (server === this.server && tool === this.tool) return;
    this.server = server;
    this.tool = tool;
    this.list = [];
    this.chosen = null;
    this.refusal = null;
    if (server === null || tool === null) return;
    await this.take(async () => {
      const { calls } = await this.backend.call('list_calls', {
        server,
        method: 'tools/call',
        target: tool,
      });
      return calls;
    });
  }

  async start(server: string, tool: string, args: string, options: CallOptions = {}): Promise<void> {
    this.refusal = null;
    await this.take(async () => {
      const call = await this.backend.call('call_tool', { server, tool, arguments: args, ...options });
      if (this.holds(call)) this.chosen = null;
      return [call];
    });
  }

  /** For bytes within the result of a call, of whatever method. */
  content(): OpenContent {
    return new OpenContent(this.backend);
  }

  /** What the tool's schema finds wrong with arguments, and why nothing was looked at, if nothing was. */
  async check(server: string, tool: string, args: string): Promise<[Violation[], string | null]> {
    try {
      const found = await this.backend.call('check_arguments', { server, tool, arguments: args });
      return [found.violations, found.note];
    } catch (error) {
      // Arguments that nobody could check can still be sent; the call itself will say what is the matter.
      return [[], `not checked: ${error instanceof Error ? error.message : 'the core did not answer'}`];
    }
  }

  protected holds(call: Call): boolean {
    return call.server === this.server && call.tool === this.tool;
  }
}
