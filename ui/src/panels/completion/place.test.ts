import { describe, expect, it } from 'vitest';
import { listPlace } from './place';

const view = { width: 900, height: 600 };

describe('the list of a field', () => {
  it('stands below it and is as wide as it', () => {
    const place = listPlace({ left: 300, top: 100, bottom: 126, width: 320 }, 240, view);
    expect(place).toMatchObject({ left: 300, top: 128, bottom: null, width: 320 });
  });

  it('stands above it, held at its foot, where there is no room below', () => {
    const place = listPlace({ left: 300, top: 540, bottom: 566, width: 320 }, 240, view);
    expect(place).toMatchObject({ top: null, bottom: 62, most: 530 });
  });

  it('stays below for a few values that fit there', () => {
    expect(listPlace({ left: 0, top: 500, bottom: 526, width: 300 }, 54, view).top).toBe(528);
  });

  it('is never beyond the window, however narrow the field', () => {
    const place = listPlace({ left: 850, top: 10, bottom: 36, width: 40 }, 240, view);
    expect(place.left + place.width).toBeLessThanOrEqual(892);
    expect(place.width).toBe(200);
  });
});
