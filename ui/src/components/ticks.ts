/**
 * A sentence cut at its backticks: what stands at an odd place is a literal. One with very many of them, or a long
 * one, stays whole: it is no sentence of ours.
 */
export function ticks(text: string): string[] {
  if (text.length > 1000) return [text];
  const parts = text.split(/`([^`\n]+)`/);
  return parts.length > 41 ? [text] : parts;
}
