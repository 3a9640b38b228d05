import { describe, expect, it } from 'vitest';
import { readJson } from '../json/read';
import { treeLines } from './tree';

const lines = (text: string, folds: [string, boolean][] = [], openDepth = 2, limit = 100) =>
  treeLines(readJson(text).value, new Map(folds), openDepth, limit);

describe('the lines of a tree', () => {
  it('are the members of the root, unfolded to the depth asked for', () => {
    const found = lines('{"a":{"b":{"c":1}},"d":[2]}', [], 1).lines;
    expect(found.map((line) => [line.depth, line.key, line.open])).toEqual([
      [0, 'a', true],
      [1, 'b', false],
      [0, 'd', true],
      [1, '0', null],
    ]);
  });

  it('follow what the person folded', () => {
    expect(lines('{"a":{"b":1}}', [['.0', false]]).lines).toHaveLength(1);
    expect(lines('{"a":{"b":{"c":{"d":1}}}}', [['.0.0.0', true]]).lines.map((line) => line.key)).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
  });

  it('show duplicate members as lines of their own', () => {
    expect(lines('{"a":1,"a":2}').lines.map((line) => [line.path, line.duplicate])).toEqual([
      ['.0', false],
      ['.1', true],
    ]);
  });

  it('are no more than the limit, and the rest is counted', () => {
    const found = lines(`[[${'1,'.repeat(99)}1],${'1,'.repeat(9999)}1]`, [], 2, 500);
    expect(found.lines).toHaveLength(500);
    expect(found.total).toBe(10_101);
  });

  it('leave long lists folded', () => {
    expect(lines(`{"a":[${'1,'.repeat(200)}1]}`).lines).toHaveLength(1);
  });

  it('of a scalar are one line', () => {
    expect(lines('1.10').lines).toMatchObject([{ keyKind: 'none', node: { text: '1.10' } }]);
  });
});
