import type { Part, Whole } from './fake-parts';

type Named = 'set_log_level' | 'ping_server' | 'find_related';

/** Log levels, pings and related rows of the fake. */
export class FakeLogs {
  constructor(private readonly whole: Whole) {}

  commands(): Part<Named> {
    void this.whole;
    return {
      set_log_level: () => ({}),
      ping_server: () => ({ ms: 1.2 }),
      find_related: () => ({ rows: [] }),
    };
  }
}
