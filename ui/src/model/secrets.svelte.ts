import { apiError, type Backend } from '../backend/backend';
import type { ApiError, Keeper, SecretKind, SecretState } from '../backend/bindings';

/** What the selected server needs to be told: which secrets and inputs there are, never what they are. */
export class Secrets {
  server = $state<string | null>(null);
  list = $state.raw<SecretState[]>([]);
  keeper = $state.raw<Keeper | null>(null);
  refusal = $state.raw<ApiError | null>(null);
  /** The one whose value is on its way to the core. */
  saving = $state<string | null>(null);
  /** The server whose first missing value the person is to be taken to, once: it was just refused for want of it. */
  sought = $state<string | null>(null);

  readonly missing = $derived(this.list.filter((secret) => !secret.known));

  private generation = 0;

  constructor(private readonly backend: Backend) {}

  async open(server: string | null): Promise<void> {
    const generation = (this.generation += 1);
    if (server !== this.server) {
      this.server = server;
      this.list = [];
      this.refusal = null;
    }
    if (server === null) return;
    try {
      const { secrets, keeper } = await this.backend.call('list_secrets', { server });
      if (generation !== this.generation) return;
      this.list = secrets;
      this.keeper = keeper;
    } catch {
      // A server that has none to list is no news; connecting it says what it lacks.
      if (generation === this.generation) this.list = [];
    }
  }

  /** Gives a value to the core, or none to have it forgotten. Nothing of it stays in the page. */
  async set(kind: SecretKind, name: string, value: string | null): Promise<boolean> {
    const server = this.server;
    if (server === null) return false;
    this.saving = keyOf(kind, name);
    this.refusal = null;
    try {
      await this.backend.call('set_secret', { server, kind, name, ...(value === null ? {} : { value }) });
      if (this.server === server) await this.open(server);
      return true;
    } catch (thrown) {
      if (this.server === server) this.refusal = apiError(thrown);
      return false;
    } finally {
      this.saving = null;
    }
  }
}

export function keyOf(kind: SecretKind, name: string): string {
  return `${kind}:${name}`;
}
