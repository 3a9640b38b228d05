import type { ListSize } from '../../backend/bindings';

/** The revision that is spoken, and how it came to that. */
export function reached(offered: string | null, revision: string): string {
  if (offered === null) return `${revision}, assumed: connected without negotiation`;
  if (offered === revision) return `${revision}, as we asked`;
  return `${revision}: we asked for ${offered} and the server answered with its own`;
}

/** What definitions may cost a model to read: four bytes a token, to two digits, for nobody knows better. */
export function tokens(bytes: number): number {
  const each = bytes / 4;
  if (each < 100) return Math.round(each);
  const unit = 10 ** (Math.floor(Math.log10(each)) - 1);
  return Math.round(each / unit) * unit;
}

export function total(sizes: ListSize[]): { entries: number; bytes: number } {
  return sizes.reduce(
    (sum, { entries, bytes }) => ({ entries: sum.entries + entries, bytes: sum.bytes + bytes }),
    { entries: 0, bytes: 0 },
  );
}
