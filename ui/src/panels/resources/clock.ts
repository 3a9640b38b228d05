/** The local time of day of milliseconds since 1970. */
export function clock(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8);
}
