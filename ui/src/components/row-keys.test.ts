import { describe, expect, it } from 'vitest';
import { rowFor } from './row-keys';

const from = (target: HTMLElement, key: string): KeyboardEvent => {
  const event = new KeyboardEvent('keydown', { key });
  target.dispatchEvent(event);
  return event;
};

describe('a key in a list of rows', () => {
  it.each([
    ['ArrowDown', 6],
    ['j', 6],
    ['ArrowUp', 4],
    ['k', 4],
    ['PageDown', 8],
    ['PageUp', 2],
    ['Home', 0],
    ['End', 9],
    ['Enter', null],
    ['x', null],
  ])('%s leads from row 5 of ten to %s', (key, to) => {
    expect(rowFor(from(document.createElement('div'), key), 5, 10, 3)).toBe(to);
  });

  it('never leads out of the list', () => {
    const list = document.createElement('div');
    expect(rowFor(from(list, 'ArrowDown'), 9, 10, 3)).toBe(9);
    expect(rowFor(from(list, 'PageUp'), 1, 10, 3)).toBe(0);
    expect(rowFor(from(list, 'ArrowUp'), -1, 10, 3), 'from nowhere').toBe(0);
  });

  it('that a field needs is left to it', () => {
    const field = document.createElement('input');
    expect(['j', 'k', 'Home', 'End'].map((key) => rowFor(from(field, key), 5, 10, 3))).toEqual(
      Array(4).fill(null),
    );
    expect(rowFor(from(field, 'ArrowDown'), 5, 10, 3)).toBe(6);
  });
});
