import { describe, expect, it } from 'vitest';
import { menuPlace, typedTo } from './menu';

describe('a menu', () => {
  const room = { width: 900, height: 600 };
  const size = { width: 200, height: 300 };

  it('opens at the point where there is room', () => {
    expect(menuPlace({ x: 40, y: 50 }, size, room)).toEqual({ left: 40, top: 50 });
  });

  it('never leaves the window', () => {
    expect(menuPlace({ x: 880, y: 590 }, size, room)).toEqual({ left: 680, top: 296 });
    expect(menuPlace({ x: 10, y: 10 }, { width: 1000, height: 700 }, room)).toEqual({ left: 4, top: 4 });
  });

  it('goes to the next item that begins with a key', () => {
    const labels = ['Connect', 'Edit', 'Copy', 'Remove'];
    expect(typedTo(labels, 0, 'c')).toBe(2);
    expect(typedTo(labels, 2, 'c')).toBe(0);
    expect(typedTo(labels, 0, 'x')).toBe(-1);
  });
});
