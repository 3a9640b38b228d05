/**
 * How well a text answers to what was typed: every word must be found, at the start of a word, within one, or letter
 * by letter. Null is not at all; more is better.
 */
export function fit(query: string, text: string): number | null {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const hay = text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const score = wordFit(word, hay, text);
    if (score === null) return null;
    sum += score;
  }
  // Of two that fit alike the shorter one says more.
  return sum - Math.min(text.length, 200) / 400;
}

function wordFit(word: string, hay: string, text: string): number | null {
  let best: number | null = null;
  for (let at = hay.indexOf(word); at !== -1; at = hay.indexOf(word, at + 1)) {
    const begins = at === 0 || startsWord(text, at);
    const whole =
      begins && (at + word.length === hay.length || !/[\p{L}\p{N}]/u.test(hay[at + word.length] ?? ''));
    best = Math.max(best ?? 0, at === 0 && whole ? 40 : whole ? 32 : at === 0 ? 28 : begins ? 24 : 12);
  }
  return best ?? letters(word, hay, text);
}

/** Letter by letter, where each run begins a word: `fsr` finds `filesystem: read`. */
function letters(word: string, hay: string, text: string): number | null {
  let at = -1;
  let score = 8;
  for (const letter of word) {
    let next = hay.indexOf(letter, at + 1);
    if (next === -1) return null;
    if (next !== at + 1) {
      // A jump must land where a word begins, or anything finds anything.
      while (next !== -1 && next !== 0 && !startsWord(text, next)) next = hay.indexOf(letter, next + 1);
      if (next === -1) return null;
      score -= 1;
    }
    at = next;
  }
  return Math.max(1, score);
}

function startsWord(text: string, at: number): boolean {
  const before = text[at - 1] ?? '';
  const here = text[at] ?? '';
  return !/[\p{L}\p{N}]/u.test(before) || (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(here));
}
