/**
 * Where rows lie in a list too long to draw. Offsets are pixels of the whole list; a scroll position is what
 * the browser has. They are the same until the list is higher than a browser can draw, then they are in proportion.
 */
export type Extent = { total: number; row: number; viewport: number };

/** Firefox stops at 17.8 million pixels and Chromium at 33 million; WebKit loses precision in between. */
export const highest = 10_000_000;

export function spacerHeight({ total, row }: Extent): number {
  return Math.min(total * row, highest);
}

export function isScaled({ total, row }: Extent): boolean {
  return total * row > highest;
}

export function maxOffset({ total, row, viewport }: Extent): number {
  return Math.max(0, total * row - viewport);
}

export function offsetAt(scrollTop: number, extent: Extent): number {
  const most = maxOffset(extent);
  const range = spacerHeight(extent) - extent.viewport;
  if (range <= 0) return 0;
  return clamp(isScaled(extent) ? (scrollTop / range) * most : scrollTop, 0, most);
}

export function scrollTopAt(offset: number, extent: Extent): number {
  const most = maxOffset(extent);
  if (most === 0) return 0;
  const range = spacerHeight(extent) - extent.viewport;
  return isScaled(extent) ? (clamp(offset, 0, most) / most) * range : clamp(offset, 0, most);
}

/** The rows to draw: those in view and a few on each side, never more than `limit`. */
export function rowsAt(
  offset: number,
  extent: Extent,
  overscan: number,
  limit = 118,
): { first: number; count: number } {
  const { total, row, viewport } = extent;
  const top = Math.floor(offset / row);
  const bottom = Math.ceil((offset + viewport) / row);
  const first = Math.max(0, Math.min(top, total) - overscan);
  const end = Math.min(total, bottom + overscan);
  return { first, count: Math.max(0, Math.min(end - first, limit)) };
}

/** The offset that brings a row into view with the least movement. */
export function offsetShowing(index: number, offset: number, { total, row, viewport }: Extent): number {
  const top = index * row;
  const least = Math.min(offset, top);
  return clamp(Math.max(least, top + row - viewport), 0, Math.max(0, total * row - viewport));
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
