import type { Call } from '../backend/bindings';
import { CallBook } from './call-book.svelte';

/** What a person is writing by hand to one server. */
export class RequestDraft {
  mode = $state<'request' | 'bytes'>('request');
  method = $state('ping');
  /** JSON texts; empty means that there is none. */
  params = $state('');
  meta = $state('');
  bytes = $state('{"jsonrpc":"2.0","id":"by-hand","method":"ping"}');
  lineFeed = $state<'added' | 'left out'>('added');
}

/** Bytes that went out as they were written. */
export type RawSent = { bytes: number; requests: number };

/** What was sent by hand to one server: any request, or any bytes. */
export class Requests extends CallBook {
  /** What of the bytes went out last, until something else is sent. */
  raw = $state.raw<RawSent | null>(null);
  server = $state<string | null>(null);

  /** Ids of what was sent from here; other calls of the server are shown where they were made. */
  private readonly mine = new Set<number>();
  private readonly drafts = new Map<string, RequestDraft>();

  /** Shows another server. What was sent to the last one is in the log. */
  open(server: string | null): void {
    if (server === this.server) return;
    this.server = server;
    this.list = [];
    this.refusal = null;
    this.raw = null;
  }

  draft(server: string): RequestDraft {
    const known = this.drafts.get(server) ?? new RequestDraft();
    this.drafts.set(server, known);
    return known;
  }

  /** Sends the draft. `anyway` sends what does not fit the agreement, too. */
  async send(server: string, draft: RequestDraft, gate: 'keep' | 'anyway'): Promise<void> {
    this.refusal = null;
    this.raw = null;
    await this.take(async () => {
      const call = await this.backend.call('send_request', {
        server,
        method: draft.method.trim(),
        params: given(draft.params),
        meta: given(draft.meta),
        timeout_ms: null,
        silence_ms: null,
        task: null,
        anyway: gate === 'anyway',
        validate: false,
      });
      this.mine.add(call.id);
      return [call];
    });
  }

  /** Sends the bytes of the draft exactly as they are written. */
  async sendBytes(server: string, draft: RequestDraft): Promise<void> {
    this.refusal = null;
    this.raw = null;
    const text = draft.lineFeed === 'added' ? `${draft.bytes}\n` : draft.bytes;
    await this.take(async () => {
      const { calls } = await this.backend.call('send_bytes', { server, text, base64: null });
      for (const call of calls) this.mine.add(call.id);
      if (server === this.server)
        this.raw = { bytes: new TextEncoder().encode(text).length, requests: calls.length };
      return calls;
    });
  }

  protected holds(call: Call): boolean {
    return call.server === this.server && this.mine.has(call.id);
  }
}

function given(text: string): string | null {
  return text.trim() === '' ? null : text;
}
