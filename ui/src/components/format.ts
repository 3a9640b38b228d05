/** How figures are written everywhere in the window. */

export function count(value: number): string {
  return value.toLocaleString('en');
}

export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 999_500) return `${(value / 1e3).toFixed(value < 99_950 ? 1 : 0)} kB`;
  if (value < 999_500_000) return `${(value / 1e6).toFixed(value < 99_950_000 ? 1 : 0)} MB`;
  return `${(value / 1e9).toFixed(1)} GB`;
}

export function duration(ms: number): string {
  if (ms < 0.095) return `${(ms * 1000).toFixed(0)} µs`;
  if (ms < 99.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${ms.toFixed(0)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds >= 3600) return age(ms);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** One unit is enough for how long something has been up. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Milliseconds since 1970 of an RFC 3339 time; its digits below the millisecond are lost. */
export function instant(time: string): number {
  return Date.parse(`${time.slice(0, 19)}Z`) + Math.floor(Number(`0${fraction(time)}`) * 1000);
}

/** The local time of day of milliseconds since 1970. */
export function clock(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8);
}

/** The local time of day with milliseconds. */
export function timeOfDay(time: string): string {
  const second = Date.parse(`${time.slice(0, 19)}Z`);
  if (Number.isNaN(second)) return time;
  const local = new Date(second);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${two(local.getHours())}:${two(local.getMinutes())}:${two(local.getSeconds())}${fraction(time).padEnd(4, '0').slice(0, 4)}`;
}

/** As `timeOfDay`, and the microseconds: `12:01:07.090 113`. */
export function preciseTime(time: string): string {
  const below = fraction(time).slice(4, 7);
  return below === '' ? timeOfDay(time) : `${timeOfDay(time)} ${below}`;
}

/** Milliseconds between two RFC 3339 times, to the nanosecond. */
export function between(earlier: string, later: string): number {
  const seconds = Date.parse(`${later.slice(0, 19)}Z`) - Date.parse(`${earlier.slice(0, 19)}Z`);
  return seconds + (Number(`0${fraction(later)}`) - Number(`0${fraction(earlier)}`)) * 1000;
}

function fraction(time: string): string {
  return /^.{19}(\.\d+)/.exec(time)?.[1] ?? '.000';
}
