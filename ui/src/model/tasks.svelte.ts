import type { Backend } from '../backend/backend';
import type { Changes, ServerSummary } from '../backend/bindings';
import { nothing, type Apply } from './apply';
import type { Follower } from './follower';

/** The tasks of the selected server. */
export class Tasks implements Follower {
  constructor(private readonly backend: Backend) {}

  async prepare(server: ServerSummary | null, changes: Changes | null): Promise<Apply> {
    void server;
    void changes;
    void this.backend;
    return nothing;
  }
}
