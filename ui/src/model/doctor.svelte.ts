import { apiError, type Backend } from '../backend/backend';
import type { ApiError, Examination } from '../backend/bindings';

/** What the doctor found, of each server that was examined; one examination per server at a time. */
export class Doctor {
  private visits = $state.raw<ReadonlyMap<string, Visit>>(new Map());

  constructor(private readonly backend: Backend) {}

  of(server: string): Visit | null {
    return this.visits.get(server) ?? null;
  }

  /** Starts the server for real, once, and tells how far it came. */
  async examine(server: string): Promise<void> {
    const last = this.of(server);
    if (last?.running === true) return;
    // What was found before stays in sight until there is something newer.
    this.put(server, { running: true, started: Date.now(), found: last?.found ?? null, refusal: null });
    try {
      const found = await this.backend.call('examine_server', { server });
      this.put(server, { running: false, started: Date.now(), found, refusal: null });
    } catch (thrown) {
      this.put(server, { running: false, started: Date.now(), found: null, refusal: apiError(thrown) });
    }
  }

  private put(server: string, visit: Visit): void {
    this.visits = new Map([...this.visits, [server, visit]]);
  }
}

export type Visit = {
  running: boolean;
  /** When it began, or when it ended once it is over. */
  started: number;
  found: Examination | null;
  refusal: ApiError | null;
};
