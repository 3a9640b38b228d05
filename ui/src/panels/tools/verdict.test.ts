import { describe, expect, it } from 'vitest';
import { call } from '../../model/stub';
import { verdictOf } from './verdict';

const violation = { path: '/sum', place: '/sum', message: 'must be a number' };

describe('the verdict on structured content', () => {
  it('is that it fits only where something was promised, came, and nothing was found', () => {
    expect(verdictOf(call(1, 'ok'), true, true)).toEqual({ kind: 'fits' });
    expect(verdictOf(call(1, 'ok'), false, true)).toEqual({ kind: 'none' });
    expect(verdictOf(call(1, 'ok'), true, false)).toEqual({ kind: 'none' });
    expect(verdictOf(call(1, 'tool-error'), true, true), 'an error promises nothing').toEqual({
      kind: 'none',
    });
  });

  it('has what was found, also where nothing came at all', () => {
    const bad = { ...call(1, 'ok'), violations: [violation] };
    expect(verdictOf(bad, true, false)).toEqual({ kind: 'violated', violations: [violation] });
  });

  it('says why nothing was checked, and does not call that a fit', () => {
    const unchecked = { ...call(1, 'ok'), note: 'the schema is too complex' };
    expect(verdictOf(unchecked, true, true)).toEqual({ kind: 'unchecked', why: 'the schema is too complex' });
  });
});
