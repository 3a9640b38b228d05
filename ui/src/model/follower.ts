import type { Changes, ServerSummary } from '../backend/bindings';
import type { Apply } from './apply';

/** What is kept in step with the core only while somebody looks at it. */
export interface Follower {
  /** Fetches what is new for the selected server; what it gives puts it in place. Called after every change. */
  prepare(server: ServerSummary | null, changes: Changes | null): Promise<Apply>;
}
