import { describe, expect, it } from 'vitest';
import type { Sample } from '../../model/pings.svelte';
import { figures, plot } from './latency';

const samples = (...times: (number | null)[]): Sample[] =>
  times.map((ms, at) => (ms === null ? { at, ms, problem: 'no answer' } : { at, ms, problem: null }));

describe('what pings come to', () => {
  it('is counted over the answers alone', () => {
    expect(figures(samples(4, null, 1, 3, null, 2))).toEqual({
      last: 2,
      p50: 2,
      p95: 4,
      least: 1,
      most: 4,
      failed: 2,
    });
    const hundred = samples(...Array.from({ length: 100 }, (_, place) => 100 - place));
    expect(figures(hundred)).toMatchObject({ p50: 50, p95: 95, last: 1 });
  });

  it('is nothing where nothing was answered', () => {
    const none = { last: null, p50: null, p95: null, least: null, most: null };
    expect(figures([])).toEqual({ ...none, failed: 0 });
    expect(figures(samples(null, null))).toEqual({ ...none, failed: 2 });
  });
});

describe('the plot of pings', () => {
  it('has the newest at the right, the slowest at the top, and a gap where one failed', () => {
    expect(plot(samples(1, 3, null, 2), 4, 40, 20)).toEqual({
      lines: ['M5 20L15 0', 'M35 10h0.01'],
      gaps: [25],
    });
    expect(plot(samples(1, 3), 4, 40, 20).lines, 'with room for more at the left').toEqual(['M25 20L35 0']);
  });

  it('draws the same times as a line in the middle, and nothing as nothing', () => {
    expect(plot(samples(7, 7), 2, 40, 20).lines).toEqual(['M10 10L30 10']);
    expect(plot([], 120, 40, 20)).toEqual({ lines: [], gaps: [] });
    expect(plot(samples(null), 1, 40, 20)).toEqual({ lines: [], gaps: [20] });
  });
});
