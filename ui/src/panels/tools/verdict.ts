import type { Call, Violation } from '../../backend/bindings';

/** What is known of whether structured content is what the tool promises. */
export type Verdict =
  | { kind: 'fits' }
  | { kind: 'violated'; violations: Violation[] }
  | { kind: 'unchecked'; why: string }
  /** The tool promises nothing, or nothing came that a promise would be about. */
  | { kind: 'none' };

export function verdictOf(call: Call, promised: boolean, structured: boolean): Verdict {
  if (call.violations.length > 0) return { kind: 'violated', violations: call.violations };
  if (call.note !== null) return { kind: 'unchecked', why: call.note };
  return promised && structured && call.status === 'ok' ? { kind: 'fits' } : { kind: 'none' };
}
