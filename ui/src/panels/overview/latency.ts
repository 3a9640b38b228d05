import type { Sample } from '../../model/pings.svelte';

export type Figures = {
  last: number | null;
  p50: number | null;
  p95: number | null;
  least: number | null;
  most: number | null;
  failed: number;
};

/** What many pings come to; those that failed have no time to count. */
export function figures(samples: Sample[]): Figures {
  const times = samples.flatMap(({ ms }) => (ms === null ? [] : [ms]));
  const sorted = times.toSorted((one, other) => one - other);
  return {
    last: times.at(-1) ?? null,
    p50: ranked(sorted, 0.5),
    p95: ranked(sorted, 0.95),
    least: sorted[0] ?? null,
    most: sorted.at(-1) ?? null,
    failed: samples.length - times.length,
  };
}

/** The smallest time that so large a share of the answers needed at most. */
function ranked(sorted: number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

export type Plot = {
  /** A line for each run of answers; where a ping failed it is broken. */
  lines: string[];
  /** Where those are that failed, from the left. */
  gaps: number[];
};

/** The samples as lines in a box of that size, the newest at the right, with room for as many as `slots`. */
export function plot(samples: Sample[], slots: number, width: number, height: number): Plot {
  const { least, most } = figures(samples);
  const low = least ?? 0;
  const range = (most ?? 0) - low;
  const x = (place: number): number => round(((slots - samples.length + place + 0.5) / slots) * width);
  // Where all took the same time the line lies in the middle.
  const y = (ms: number): number => round(range === 0 ? height / 2 : height - ((ms - low) / range) * height);
  const lines: string[] = [];
  const gaps: number[] = [];
  let run: string[] = [];
  const end = (): void => {
    // A line of one point has no length, yet is drawn as a dot by its round ends.
    if (run.length > 0) lines.push(`M${run.join('L')}${run.length === 1 ? 'h0.01' : ''}`);
    run = [];
  };
  samples.forEach(({ ms }, place) => {
    if (ms === null) {
      end();
      gaps.push(x(place));
    } else run.push(`${x(place)} ${y(ms)}`);
  });
  end();
  return { lines, gaps };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
