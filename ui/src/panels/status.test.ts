import { describe, expect, it } from 'vitest';
import type { Finding } from '../backend/bindings';
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
