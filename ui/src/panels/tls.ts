import type { TlsFacts } from '../backend/bindings';
import type { Status } from './status';

/** How long a certificate still holds: a word of warning comes two weeks before its end. */
export function validity(facts: TlsFacts, now: number): Status {
  const from = Date.parse(facts.not_before);
  const until = Date.parse(facts.not_after);
  if (Number.isNaN(until)) return { glyph: '▲', word: 'its end is no time', tone: 'warn' };
  if (until <= now) return { glyph: '▲', word: `expired ${days(now - until)} ago`, tone: 'err' };
  if (from > now) return { glyph: '▲', word: `not valid before ${date(facts.not_before)}`, tone: 'err' };
  const left = until - now;
  return left <= warnWithin
    ? { glyph: '▲', word: `expires in ${days(left)}`, tone: 'warn' }
    : { glyph: '✓', word: `${days(left)} left`, tone: 'ok' };
}

/** An RFC 3339 time to the minute, as certificates are dated: in UTC. */
export function date(time: string): string {
  return Number.isNaN(Date.parse(time)) ? 'unknown' : `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}

function days(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  if (hours < 1) return 'less than an hour';
  if (hours < 48) return hours === 1 ? '1 hour' : `${hours} hours`;
  return `${Math.floor(hours / 24).toLocaleString('en')} days`;
}

const warnWithin = 14 * 86_400_000;
