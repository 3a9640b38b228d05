import { describe, expect, it } from 'vitest';
import { highest, maxOffset, offsetAt, offsetShowing, rowsAt, scrollTopAt, spacerHeight } from './virtual';

const small = { total: 1000, row: 24, viewport: 240 };
const million = { total: 1_000_000, row: 24, viewport: 240 };

describe('a list that a browser can draw', () => {
  it('scrolls pixel by pixel', () => {
    expect(spacerHeight(small)).toBe(24_000);
    expect(offsetAt(1234, small)).toBe(1234);
    expect(scrollTopAt(1234, small)).toBe(1234);
  });

  it('draws only what is in view and the overscan', () => {
    expect(rowsAt(2400, small, 5)).toEqual({ first: 95, count: 20 });
    expect(rowsAt(0, small, 5)).toEqual({ first: 0, count: 15 });
    expect(rowsAt(maxOffset(small), small, 5)).toEqual({ first: 985, count: 15 });
  });

  it('draws no more than the limit, however high the window', () => {
    expect(rowsAt(0, { ...small, viewport: 20_000 }, 5).count).toBe(118);
  });

  it('draws nothing of an empty list', () => {
    expect(rowsAt(0, { total: 0, row: 24, viewport: 240 }, 5)).toEqual({ first: 0, count: 0 });
    expect(offsetAt(10, { total: 0, row: 24, viewport: 240 })).toBe(0);
  });

  it('does not scroll a list shorter than the view', () => {
    expect(maxOffset({ total: 3, row: 24, viewport: 240 })).toBe(0);
    expect(scrollTopAt(50, { total: 3, row: 24, viewport: 240 })).toBe(0);
  });
});

describe('a list of a million rows', () => {
  it('is no higher than a browser can draw', () => {
    expect(spacerHeight(million)).toBe(highest);
  });

  it('reaches its first and its last row', () => {
    expect(rowsAt(offsetAt(0, million), million, 0).first).toBe(0);
    const end = rowsAt(offsetAt(highest - 240, million), million, 0);
    expect(end.first + end.count).toBe(1_000_000);
  });

  it('comes back to the same row from every scroll position', () => {
    for (const index of [0, 1, 499_999, 500_000, 999_989]) {
      const offset = index * 24;
      expect(Math.round(offsetAt(scrollTopAt(offset, million), million) / 24)).toBe(index);
    }
  });

  it('moves by exactly one row to show the next one', () => {
    const offset = 500_000 * 24;
    expect(offsetShowing(500_010, offset, million)).toBe(offset + 24);
    expect(offsetShowing(499_999, offset, million)).toBe(offset - 24);
    expect(offsetShowing(500_005, offset, million)).toBe(offset);
  });

  it('shows the last row at the very end', () => {
    expect(offsetShowing(999_999, 0, million)).toBe(maxOffset(million));
  });
});
