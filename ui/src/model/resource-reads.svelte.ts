import type { Call } from '../backend/bindings';
import { CallBook } from './call-book.svelte';

/** Whether what does not fit the agreement with the server is held back. */
export type Gate = 'keep' | 'anyway';

/** What was read of one address: the reads that run, the one that is shown, and the earlier ones. */
export class Reads extends CallBook {
  /** The address whose reads these are; none until something is looked at. */
  uri = $state<string | null>(null);
  /** Reads that no person asked for: the server said that the resource changed. */
  automatic = $state.raw<ReadonlySet<number>>(new Set());
  /** Older reads that are not held here any more; the log has them. */
  dropped = $state(0);

  /** What no person asked for takes the place of what is shown once it is there. */
  override readonly history = $derived(
    this.list.filter((call) => call.status !== 'running' || !this.automatic.has(call.id)),
  );

  private server: string | null = null;
  /** Addresses that the core is being asked to read. */
  private readonly sending = new Set<{ server: string; uri: string }>();

  /** Whether a read of this address is under way. */
  get busy(): boolean {
    return this.running.length > 0 || [...this.sending].some((each) => this.isAt(each.server, each.uri));
  }

  /** Shows what was read of another address. */
  async open(server: string | null, uri: string | null): Promise<void> {
    if (server === this.server && uri === this.uri) return;
    this.server = server;
    this.uri = uri;
    this.list = [];
    this.chosen = null;
    this.refusal = null;
    this.dropped = 0;
    if (server === null || uri === null) return;
    await this.take(async () => {
      const { calls } = await this.backend.call('list_calls', {
        server,
        method: 'resources/read',
        target: uri,
      });
      return calls;
    });
    if (this.isAt(server, uri)) this.prune();
  }

  /** Reads an address, and shows it. What an update asked for leaves an earlier read that is looked at in sight. */
  async start(server: string, uri: string, gate: Gate, by: 'person' | 'update'): Promise<void> {
    const opened = this.open(server, uri);
    this.refusal = null;
    const sent = { server, uri };
    this.sending.add(sent);
    await this.take(async () => {
      try {
        const call = await this.backend.call('send_request', {
          server,
          method: 'resources/read',
          params: JSON.stringify({ uri }),
          meta: null,
          timeout_ms: null,
          silence_ms: null,
          task: null,
          anyway: gate === 'anyway',
          validate: false,
        });
        if (!this.isAt(server, uri)) return [];
        if (by === 'person') this.chosen = null;
        else this.automatic = new Set([...this.automatic, call.id].slice(-mostMarked));
        return [call];
      } catch (thrown) {
        // Why another address could not be read is of no use where this one is shown.
        if (!this.isAt(server, uri)) return [];
        throw thrown;
      } finally {
        this.sending.delete(sent);
      }
    });
    if (this.isAt(server, uri)) this.prune();
    await opened;
  }

  protected holds(call: Call): boolean {
    return (
      call.server === this.server &&
      call.method === 'resources/read' &&
      this.uri !== null &&
      call.target === this.uri
    );
  }

  private isAt(server: string, uri: string): boolean {
    return server === this.server && uri === this.uri;
  }

  /** A resource that changes every second must not fill the memory with what it was. */
  private prune(): void {
    const kept = this.list.filter(
      (call, place) => place < mostHeld || call.status === 'running' || call.id === this.chosen,
    );
    if (kept.length === this.list.length) return;
    this.dropped += this.list.length - kept.length;
    this.list = kept;
  }
}

const mostHeld = 30;
/** Of how many reads it is remembered that no person asked for them. */
const mostMarked = 500;
