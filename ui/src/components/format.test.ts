import { describe, expect, it } from 'vitest';
import { age, between, bytes, duration, instant, preciseTime, timeOfDay } from './format';

describe('figures', () => {
  it('writes sizes in the unit that reads best', () => {
    expect([0, 22, 999, 1234, 262_144, 41_000_000, 2_500_000_000].map(bytes)).toEqual([
      '0 B',
      '22 B',
      '999 B',
      '1.2 kB',
      '262 kB',
      '41.0 MB',
      '2.5 GB',
    ]);
  });

  it('writes durations in the unit that reads best', () => {
    expect([0.05, 0.9, 12.42, 250, 2000, 61_000, 7_500_000].map(duration)).toEqual([
      '50 µs',
      '0.9 ms',
      '12.4 ms',
      '250 ms',
      '2.0 s',
      '1 min 1 s',
      '2 h 5 min',
    ]);
  });

  it('writes ages in one unit', () => {
    expect([-5, 3000, 360_000, 7_500_000].map(age)).toEqual(['0 s', '3 s', '6 min', '2 h 5 min']);
  });
});

describe('times', () => {
  const time = '2026-01-02T12:01:07.090113456Z';

  it('shows milliseconds, and microseconds where asked', () => {
    expect(timeOfDay(time)).toMatch(/^\d\d:01:07\.090$/);
    expect(preciseTime(time)).toMatch(/^\d\d:01:07\.090 113$/);
  });

  it('shows what is no time as it is', () => {
    expect(timeOfDay('soon')).toBe('soon');
  });

  it('measures between two times across a second', () => {
    expect(between(time, '2026-01-02T12:01:08.102513456Z')).toBeCloseTo(1012.4, 5);
    expect(instant(time)).toBe(Date.UTC(2026, 0, 2, 12, 1, 7, 90));
  });
});
