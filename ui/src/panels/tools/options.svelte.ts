import { readJson } from '../../json/read';
import type { CallOptions } from '../../model/calls.svelte';

/** What a person sets for the calls of one tool, as it was typed. */
export class OptionsDraft {
  /** Seconds; empty leaves it to the settings of the server. */
  timeout = $state('');
  /** JSON text of an object; empty for none. */
  meta = $state('');
  /** Null is as the tool wants it. */
  task = $state<boolean | null>(null);
  /** Seconds that the server should keep the task. */
  ttl = $state('');
  /** Whether `{{name}}` in a text stands for a variable. */
  fill = $state(true);

  readonly timeoutProblem = $derived(secondsOf(this.timeout).problem);
  readonly ttlProblem = $derived(secondsOf(this.ttl).problem);
  readonly metaProblem = $derived(metaProblem(this.meta));

  /** How many differ from what is usual. */
  readonly count = $derived(
    [this.timeout.trim(), this.meta.trim(), this.ttl.trim()].filter(Boolean).length +
      (this.task === null ? 0 : 1) +
      (this.fill ? 0 : 1),
  );

  /** Whether the call is to become a task, for a tool that supports it so far. */
  asTask(support: string | null): boolean {
    if (!offersTask(support)) return false;
    return this.task ?? support === 'required';
  }

  /** What goes with a call; none while something here can't be sent. */
  sendable(support: string | null): CallOptions | null {
    const task = this.asTask(support);
    if (this.timeoutProblem !== null || this.metaProblem !== null) return null;
    if (task && this.ttlProblem !== null) return null;
    const timeout = secondsOf(this.timeout).ms;
    return {
      ...(this.meta.trim() === '' ? {} : { meta: this.meta }),
      ...(timeout === null ? {} : { timeout_ms: timeout }),
      ...(task ? { task: { ttl_ms: secondsOf(this.ttl).ms } } : {}),
    };
  }
}

/** Whether a tool may be called as a task, by what it says of itself. */
export function offersTask(support: string | null): boolean {
  return support === 'optional' || support === 'required';
}

/** Milliseconds of what was typed as seconds. */
export function secondsOf(text: string): { ms: number | null; problem: string | null } {
  if (text.trim() === '') return { ms: null, problem: null };
  const seconds = Number(text.trim());
  if (!/^[0-9]*\.?[0-9]+$/.test(text.trim()) || !(seconds > 0))
    return { ms: null, problem: 'must be a number above zero' };
  if (seconds > mostSeconds) return { ms: null, problem: 'must be at most a day, 86400 seconds' };
  return { ms: Math.max(1, Math.round(seconds * 1000)), problem: null };
}

const mostSeconds = 86_400;

export function metaProblem(text: string): string | null {
  if (text.trim() === '') return null;
  const { value, problem } = readJson(text);
  if (problem !== null) return `line ${problem.line}, column ${problem.column}: ${problem.message}`;
  return value.kind === 'object' ? null : 'must be a JSON object';
}
