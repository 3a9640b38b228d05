import { apiError, type Backend } from '../backend/backend';
import type { ServerSummary } from '../backend/bindings';
import { nothing, type Apply } from './apply';
import type { Follower } from './follower';

/** One ping: how long the answer took, or why there was none. */
export type Sample = { at: number; ms: number; problem: null } | { at: number; ms: null; problem: string };

/** How long servers take to answer, over time. */
export class Pings implements Follower {
  /** The server that is pinged again and again. */
  repeating = $state<string | null>(null);
  private samples = $state.raw<ReadonlyMap<string, Sample[]>>(new Map());
  /** Since when a server owes an answer; it is not asked again before that came. */
  private owed = $state.raw<ReadonlyMap<string, number>>(new Map());
  private round = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly backend: Backend) {}

  /** Stops when another server is looked at, or when there is nobody to answer. */
  async prepare(server: ServerSummary | null): Promise<Apply> {
    const { round } = this;
    const goes = server?.id === this.repeating && server.state === 'ready';
    if (this.repeating === null || goes) return nothing;
    return () => {
      if (round === this.round) this.stop();
    };
  }

  /** The newest samples of a server, oldest first. */
  of(server: string): Sample[] {
    return this.samples.get(server) ?? none;
  }

  waitingSince(server: string): number | null {
    return this.owed.get(server) ?? null;
  }

  async ping(server: string): Promise<void> {
    if (this.owed.has(server)) return;
    const at = Date.now();
    this.owed = new Map([...this.owed, [server, at]]);
    let sample: Sample;
    try {
      const { ms } = await this.backend.call('ping_server', { server });
      sample = { at, ms, problem: null };
    } catch (thrown) {
      sample = { at, ms: null, problem: apiError(thrown).message };
    }
    this.owed = new Map([...this.owed].filter(([each]) => each !== server));
    this.samples = new Map([...this.samples, [server, [...this.of(server), sample].slice(-mostSamples)]]);
  }

  /** Pings now and then every two seconds, until somebody or something says stop. */
  repeat(server: string): void {
    this.stop();
    this.repeating = server;
    void this.beat(server, this.round);
  }

  stop(): void {
    this.repeating = null;
    this.round += 1;
    clearTimeout(this.timer);
  }

  private async beat(server: string, round: number): Promise<void> {
    const begun = Date.now();
    await this.ping(server);
    if (round !== this.round) return;
    const left = Math.max(0, pace - (Date.now() - begun));
    this.timer = setTimeout(() => void this.beat(server, round), left);
  }
}

/** Samples that are kept of each server. */
export const mostSamples = 120;
const pace = 2000;
const none: Sample[] = [];
