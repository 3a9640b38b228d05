import type { Backend } from '../backend/backend';
import type { CallToolRequest, Violation } from '../backend/bindings';
import { OpenContent } from './content.svelte';
import { TargetCalls } from './target-calls.svelte';

/** What may be said about one call, beside its arguments. */
export type CallOptions = Pick<CallToolRequest, 'meta' | 'timeout_ms' | 'task'>;

/** The calls of one tool: running ones, the result that is shown, and the earlier ones. */
export class Calls extends TargetCalls {
  constructor(backend: Backend) {
    super(backend, 'tools/call');
  }

  async call(server: string, tool: string, args: string, options: CallOptions = {}): Promise<void> {
    await this.start(() => this.backend.call('call_tool', { server, tool, arguments: args, ...options }));
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
}
