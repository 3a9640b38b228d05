import type {
  ApiError,
  CallStatus,
  ConfigProblem,
  Finding,
  LogRow,
  RowStatus,
  ServerState,
} from '../backend/bindings';
import { statusWord } from './http-status';

/** A state as a shape, a word and a colour: any of the three is enough to tell it. */
export type Status = { glyph: string; word: string; tone: 'ok' | 'warn' | 'err' | 'dim' };

export const serverStatus: Record<ServerState, Status> = {
  stopped: { glyph: '○', word: 'not connected', tone: 'dim' },
  starting: { glyph: '◐', word: 'starting', tone: 'warn' },
  ready: { glyph: '●', word: 'ready', tone: 'ok' },
  stopping: { glyph: '◑', word: 'stopping', tone: 'warn' },
  failed: { glyph: '▲', word: 'failed', tone: 'err' },
};

export const callStatus: Record<CallStatus, Status> = {
  running: { glyph: '◐', word: 'running', tone: 'warn' },
  ok: { glyph: '✓', word: 'ok', tone: 'ok' },
  'tool-error': { glyph: '✗', word: 'tool error', tone: 'err' },
  'protocol-error': { glyph: '▲', word: 'protocol error', tone: 'err' },
  cancelled: { glyph: '⊘', word: 'cancelled', tone: 'dim' },
  timeout: { glyph: '◷', word: 'timed out', tone: 'err' },
  lost: { glyph: '∅', word: 'lost', tone: 'err' },
};

const rowStatuses: Record<RowStatus, Status> = {
  pending: { glyph: '◐', word: 'pending', tone: 'warn' },
  ok: { glyph: '✓', word: 'ok', tone: 'ok' },
  'tool-error': { glyph: '✗', word: 'tool error', tone: 'err' },
  'protocol-error': { glyph: '▲', word: 'protocol error', tone: 'err' },
  cancelled: { glyph: '⊘', word: 'cancelled', tone: 'dim' },
  late: { glyph: '◷', word: 'late', tone: 'warn' },
  timeout: { glyph: '◷', word: 'timed out', tone: 'err' },
  unanswered: { glyph: '∅', word: 'no answer', tone: 'err' },
  lost: { glyph: '∅', word: 'lost', tone: 'err' },
};

/** How a row of the log is judged: by its status, or by the worst thing found in it. */
export function rowStatus(row: LogRow): Status | null {
  if (row.kind === 'unparsable')
    return {
      glyph: '▲',
      word: worst(row.findings)?.code.replaceAll('-', ' ') ?? 'not a message',
      tone: 'err',
    };
  if (row.kind === 'http') return httpStatus(row);
  if (row.kind === 'orphan') return { glyph: '▲', word: 'orphan', tone: 'warn' };
  // What never came because HTTP failed was not simply left unanswered.
  if (
    (row.status === 'unanswered' || row.status === 'lost') &&
    row.findings.some((finding) => finding.code === 'http-failed')
  )
    return { glyph: '▲', word: 'HTTP failed', tone: 'err' };
  if (row.status !== null) {
    const status = rowStatuses[row.status];
    return row.status === 'protocol-error' && row.code !== null
      ? { ...status, word: `error ${row.code}` }
      : status;
  }
  const finding = worst(row.findings);
  if (finding === undefined || finding.severity === 'note') return null;
  return { glyph: '▲', word: finding.code.replaceAll('-', ' '), tone: severityTone(finding.severity) };
}

/** An HTTP exchange without a message of ours is judged by its status code, and by whether it did what it was for. */
function httpStatus({ status, code }: LogRow): Status | null {
  if (status === null) return null;
  const given = rowStatuses[status];
  if (code === null) return status === 'protocol-error' ? { ...given, word: 'no response' } : given;
  const success = code >= 200 && code < 300;
  const word = `${code} ${statusWord(code)}`;
  if (status === 'pending') return { ...given, word: success ? `${code} open` : word };
  if (status === 'protocol-error') return { ...given, word: success ? `${code} broken off` : word };
  // A server may well refuse a stream; that is neither right nor wrong.
  if (status === 'ok') return success ? { ...given, word } : { glyph: '○', word, tone: 'dim' };
  return given;
}

/** What a line that holds no message is called: much of it is JSON all the same. */
export function unparsableWord(findings: Finding[]): string {
  return findings.some((finding) => finding.code === 'not-json') ? 'not JSON' : 'not a message';
}

export function severityTone(severity: Finding['severity']): Status['tone'] {
  return severity === 'error' ? 'err' : severity === 'warning' ? 'warn' : 'dim';
}

/** How bad a problem of a file is. One file may have both kinds, and is not always named in the same way. */
export function problemTone(problem: ApiError, known: ConfigProblem[]): 'err' | 'warn' {
  const same = known.filter(
    ({ error }) => error.title === problem.title && error.message === problem.message,
  );
  return same.length > 0 && same.every(({ severity }) => severity !== 'error') ? 'warn' : 'err';
}

export function worst<F extends Pick<Finding, 'severity'>>(findings: F[]): F | undefined {
  return (
    findings.find((each) => each.severity === 'error') ??
    findings.find((each) => each.severity === 'warning') ??
    findings[0]
  );
}
