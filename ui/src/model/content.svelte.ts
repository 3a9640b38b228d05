import { apiError, type Backend } from '../backend/backend';
import type { ApiError, Content } from '../backend/bindings';
import { fromBase64 } from './row-detail.svelte';

/**
 * Bytes that stand as base64 in the result of a call. The core decodes them and says what they are by their own
 * signature; they come in parts, and only as many as somebody wants to see.
 */
export class OpenContent {
  facts = $state.raw<Content | null>(null);
  /** Why nothing, or nothing more, could be had. What came before it stays. */
  error = $state.raw<ApiError | null>(null);
  loading = $state(false);
  /** What is here, from the first byte on without a gap. */
  bytes = $state.raw(new Uint8Array());
  readonly whole = $derived(this.facts !== null && this.bytes.length >= this.facts.size);

  private call: number | null = null;
  private pointer = '';
  /** Answers that were asked for before this changed are about something else. */
  private generation = 0;

  constructor(private readonly backend: Backend) {}

  /** Looks at other bytes: what they are is asked for at once, they themselves are not. */
  async open(call: number, pointer: string): Promise<void> {
    if (call === this.call && pointer === this.pointer) return;
    const generation = this.close();
    this.call = call;
    this.pointer = pointer;
    try {
      const facts = await this.backend.call('read_content', { call, pointer });
      if (generation === this.generation) this.facts = facts;
    } catch (thrown) {
      if (generation === this.generation) this.error = apiError(thrown);
    }
  }

  /** Loads until so many bytes are here, or all of them. */
  async load(wanted = Infinity): Promise<void> {
    if (this.call === null || this.facts === null || this.loading) return;
    const [call, pointer, generation, { size }] = [this.call, this.pointer, this.generation, this.facts];
    const end = Math.min(wanted, size);
    const parts: Uint8Array[] = [this.bytes];
    let have = this.bytes.length;
    this.loading = true;
    this.error = null;
    try {
      while (have < end) {
        const part = await this.backend.call('read_content_part', { call, pointer, offset: have });
        if (generation !== this.generation) return;
        const read = fromBase64(part.base64);
        // Without this a part that is empty too early would be asked for again and again.
        if (read.length === 0) throw new Error(`only ${have} of ${size} bytes could be read`);
        parts.push(read);
        have += read.length;
      }
    } catch (thrown) {
      if (generation === this.generation) this.error = apiError(thrown);
    } finally {
      if (generation === this.generation) {
        this.bytes = joined(parts, have);
        this.loading = false;
      }
    }
  }

  /** Writes all of it to a file that the person chooses; gives its path, or nothing where they chose none. */
  async save(name: string): Promise<string | null> {
    if (this.call === null) return null;
    const { path } = await this.backend.call('save_content', {
      call: this.call,
      pointer: this.pointer,
      name,
    });
    return path;
  }

  close(): number {
    this.call = null;
    this.pointer = '';
    this.facts = null;
    this.error = null;
    this.loading = false;
    this.bytes = new Uint8Array();
    return (this.generation += 1);
  }
}

function joined(parts: Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
