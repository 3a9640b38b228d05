import { describe, expect, it } from 'vitest';
import type { Finding, RowStatus } from '../backend/bindings';
import { row } from '../model/stub';
import { rowStatus, unparsableWord } from './status';

const finding = (code: string): Finding => ({ code, severity: 'error', message: '', rule: null });

describe('a line that holds no message', () => {
  it('is called not JSON only when that was found', () => {
    expect(unparsableWord([finding('unterminated'), finding('not-json')])).toBe('not JSON');
    for (const code of ['not-an-object', 'not-a-message', 'oversized', 'empty-line', 'invalid-utf8'])
      expect(unparsableWord([finding(code)]), code).toBe('not a message');
  });

  it('is not called anything worse when nothing was found', () => {
    expect(unparsableWord([])).toBe('not a message');
    expect(rowStatus(row(1, { kind: 'unparsable', status: null }))?.word).toBe('not a message');
  });
});

describe('an HTTP exchange without a message', () => {
  const said = (status: RowStatus, code: number | null): string => {
    const found = rowStatus(row(1, { kind: 'http', method: 'GET', status, code }))!;
    return `${found.glyph} ${found.word}, ${found.tone}`;
  };

  it('is open, done or broken, and says its code', () => {
    expect(said('pending', null)).toBe('◐ pending, warn');
    expect(said('pending', 200)).toBe('◐ 200 open, warn');
    expect(said('ok', 200)).toBe('✓ 200 OK, ok');
    expect(said('protocol-error', 503)).toBe('▲ 503 unavailable, err');
    expect(said('protocol-error', 200), 'a stream that broke had begun well').toBe('▲ 200 broken off, err');
    expect(said('protocol-error', null)).toBe('▲ no response, err');
  });

  it('is not called wrong where the server may refuse', () => {
    expect(said('ok', 405)).toBe('○ 405 not allowed, dim');
  });

  it('has a word for a code that nobody knows', () => {
    expect(said('protocol-error', 599)).toBe('▲ 599 server error, err');
    expect(said('protocol-error', 999)).toBe('▲ 999 unknown, err');
  });
});

it('a request that HTTP did not carry is told apart from one that nobody answered', () => {
  expect(rowStatus(row(1, { status: 'unanswered' }))?.word).toBe('no answer');
  expect(rowStatus(row(1, { status: 'unanswered', findings: [finding('http-failed')] }))?.word).toBe(
    'HTTP failed',
  );
});
