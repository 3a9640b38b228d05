import { describe, expect, it } from 'vitest';
import type { ApiError, ConfigProblem, Finding, RowStatus } from '../backend/bindings';
import { row } from '../model/stub';
import { problemTone, rowStatus, unparsableWord } from './status';

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

it('a warning of a file is not told as an error, nor the other way round', () => {
  const error = (message: string): ApiError => ({
    code: 'configuration',
    title: 'Configuration',
    message,
    hint: null,
    chain: [],
    context: [],
  });
  const known: ConfigProblem[] = [
    { file: '~/.mcp.json', severity: 'warning', error: error('`timeot` is not known') },
    { file: '~/.mcp.json', severity: 'error', error: error('`X` is not set') },
  ];
  expect(problemTone(error('`timeot` is not known'), known)).toBe('warn');
  expect(problemTone(error('`X` is not set'), known)).toBe('err');
  expect(problemTone(error('something new'), known), 'what is not known is taken seriously').toBe('err');
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
