import type { Call } from '../backend/bindings';
import { clock, duration } from '../components/format';
import { callStatus } from './status';

/** How far back in its list a call is. */
export function callAge(place: number): string {
  return place === 0 ? 'latest' : `${place} before`;
}

/** How a call ended, when it began and how long it took: `✓ ok · 12:01:07 · 12.0 ms`. */
export function callSummary({ status, started, elapsed_ms }: Call): string {
  const { glyph, word } = callStatus[status];
  const took = elapsed_ms === null ? '' : ` · ${duration(elapsed_ms)}`;
  return `${glyph} ${word} · ${clock(started)}${took}`;
}
