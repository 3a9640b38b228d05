/** Host and path of an address, without what every address of its kind has. */
export function place(url: string): string {
  return url.replace(/^https?:\/\//i, '').replace(/\/$/, '');
}

/** Whether an address leads over a network without encryption; this machine is no network. */
export function inTheOpen(url: string): boolean {
  const host = /^http:\/\/(\[[^\]]*\]|[^/:?#]*)/i.exec(url)?.[1]?.toLowerCase();
  if (host === undefined) return false;
  return !(
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '[::1]' ||
    /^127\.[\d.]+$/.test(host)
  );
}

/** What was configured, and what it turned out to be; nothing is known of one that was never asked. */
export function dialectWord(dialect: string, spoken: string | null): string {
  const name = (word: string): string =>
    word === 'http' ? 'Streamable HTTP' : word === 'sse' ? 'HTTP with SSE, the older one' : word;
  if (dialect === 'auto' && spoken === null) return 'Found out when it is connected';
  return dialect === 'auto' && spoken !== null ? `${name(spoken)}, found out by asking` : name(dialect);
}
