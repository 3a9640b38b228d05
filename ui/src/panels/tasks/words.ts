import type { TaskSummary } from '../../backend/bindings';
import { age } from '../../components/format';

/** A state as a shape, a word and a colour: any of the three is enough to tell it. */
export type TaskStatus = { glyph: string; word: string; tone: 'ok' | 'warn' | 'err' | 'ask' | 'dim' };

const statuses = new Map<string, TaskStatus>([
  ['working', { glyph: '◐', word: 'working', tone: 'warn' }],
  ['input_required', { glyph: '?', word: 'input required', tone: 'ask' }],
  ['completed', { glyph: '✓', word: 'completed', tone: 'ok' }],
  ['failed', { glyph: '✗', word: 'failed', tone: 'err' }],
  ['cancelled', { glyph: '⊘', word: 'cancelled', tone: 'dim' }],
]);

/** A state that no revision has is shown as the server says it. */
export function taskStatus(status: string): TaskStatus {
  return statuses.get(status) ?? { glyph: '·', word: status === '' ? 'no state' : status, tone: 'dim' };
}

/** Whether the task is over, as far as its state is known: such a one can't be cancelled. */
export function isOver(status: string): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** How long ago a time of the server was; the server's clock may be ahead of ours. Null where it is no time. */
export function ago(time: string | null, now: number): string | null {
  const then = time === null ? NaN : Date.parse(time);
  return Number.isNaN(then) ? null : age(now - then);
}

/** How long the server still keeps the task. */
export function kept(task: TaskSummary, now: number): string {
  // Without an end and not said at all are two things, and only the entry itself tells them apart.
  if (task.ttl_ms === null) return task.definition.includes('"ttl"') ? 'kept for ever' : 'not said';
  const created = task.created === null ? NaN : Date.parse(task.created);
  if (Number.isNaN(created)) return `${clock(task.ttl_ms)} in all`;
  const left = created + task.ttl_ms - now;
  return left > 0 ? `${clock(left)} left` : 'may be gone';
}

/** Counts down by the second, as far as that is of interest. */
function clock(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60 || seconds >= 3600) return age(seconds * 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A share of a whole, or how far something is where there is no whole. */
export function progressWords(progress: { progress: number; total: number | null } | null): string {
  if (progress === null) return '';
  if (progress.total === null || progress.total <= 0) return String(progress.progress);
  return `${Math.round(Math.min(1, Math.max(0, progress.progress / progress.total)) * 100)} %`;
}
