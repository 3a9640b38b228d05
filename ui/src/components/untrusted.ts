import { count } from './format';

/**
 * Text of a server, cut into what is shown as it is and what is made visible: control, bidi and zero-width
 * characters, tags, lone surrogates. A piece at an odd place is a token; the pieces joined are the text to copy.
 */
export function pieces(text: string, newlines: 'kept' | 'escaped', most = mostTokens): string[] {
  const pattern = newlines === 'kept' ? hidden : hiddenInline;
  pattern.lastIndex = 0;
  if (!pattern.test(text)) return [text];
  const found: string[] = [];
  let end = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (found.length >= most * 2) {
      // So that a text of nothing but such characters does not become a million elements.
      found.push(text.slice(end).replace(pattern, escaped));
      return found;
    }
    found.push(text.slice(end, match.index), escaped(match[0]));
    end = match.index + match[0].length;
  }
  found.push(text.slice(end));
  return found;
}

/** The same as one line of plain text, where there can be no elements. */
export function visible(text: string): string {
  return pieces(text, 'escaped').join('');
}

export type Clip = {
  text: string;
  /** What was left out, in whole lines where there are any. */
  lines: number;
  characters: number;
};

/** How much is not shown: in lines, and in characters too where the lines are long. */
export function leftOut({ lines, characters }: Clip): string {
  const letters = (more: string): string =>
    `${count(characters)}${more} ${characters === 1 ? 'character' : 'characters'}`;
  if (lines === 0) return letters(' more');
  const told = `${count(lines)} more ${lines === 1 ? 'line' : 'lines'}`;
  return characters > lines * usualLine ? `${told}, ${letters('')}` : told;
}

/** Characters that a line has at most, as a rule. */
const usualLine = 200;

/** Some of a long text, in pieces, and about how many rows it fills. */
export type Part = { pieces: string[]; rows: number };

/**
 * A long text in parts, so that a page can lay out only those in sight. A part ends with a line where it can; joined, they are
 * the text to copy. All of them have no more tokens than one text would have.
 */
export function parts(text: string): Part[] {
  const found: Part[] = [];
  let tokens = mostTokens;
  for (let start = 0; start < text.length;) {
    const end = start + lengthOfPart(text.slice(start, start + longestPart));
    const part = pieces(text.slice(start, end), 'kept', tokens);
    const shown = part.join('');
    found.push({
      pieces: part,
      rows: Math.max(shown.split('\n').length - 1, Math.ceil(shown.length / usualWidth)),
    });
    tokens -= (part.length - 1) / 2;
    start = end;
  }
  return found;
}

/** How much of what could be a part becomes one: to the end of a line, of a word, or all of it but half a character. */
function lengthOfPart(text: string): number {
  const lines = endOfLine(text, mostLines);
  if (lines !== -1) return lines + 1;
  if (text.length < longestPart) return text.length;
  const line = text.lastIndexOf('\n') + 1;
  if (line > 0) return line;
  const word = text.lastIndexOf(' ') + 1;
  if (word > longestPart / 2) return word;
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
}

/** Characters and lines of a part: as many as are laid out well within a frame, several times over. */
const longestPart = 2000;
const mostLines = 100;
/** Characters that fit beside each other, as a rule. */
const usualWidth = 80;

/** The first lines and characters of a long text, and how much is not shown. */
export function clip(text: string, lines: number, characters: number): Clip {
  const lineEnd = endOfLine(text, lines);
  let end = lineEnd === -1 ? text.length : lineEnd;
  if (end > characters) {
    end = characters;
    // Never between the halves of one character.
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? '')) end -= 1;
  }
  if (end >= text.length) return { text, lines: 0, characters: 0 };
  let more = 0;
  for (let at = text.indexOf('\n', end); at !== -1; at = text.indexOf('\n', at + 1)) more += 1;
  return { text: text.slice(0, end), lines: more, characters: text.length - end };
}

/** Where the line of that number ends, or -1 when the text has fewer. */
function endOfLine(text: string, lines: number): number {
  let at = -1;
  for (let count = 0; count < lines; count += 1) {
    at = text.indexOf('\n', at + 1);
    if (at === -1) return -1;
  }
  return at;
}

const mostTokens = 400;

// Invisible, or changing how what is around it is drawn. The emoji selectors U+FE0E and U+FE0F stay unless they repeat.
const invisible =
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f' +
  '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0d\\ufeff\\uffa0\\ufff0-\\ufffb' +
  '\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}\\ud800-\\udfff';
const hidden = new RegExp(`(?:[${invisible}]|[\\ufe0e\\ufe0f]{2,})+`, 'gu');
const hiddenInline = new RegExp(`(?:[${invisible}\\t\\n]|[\\ufe0e\\ufe0f]{2,})+`, 'gu');

/** Of the characters that were met so far: a text may have many of a few. */
const names: Record<string, string> = { '\n': '⏎', '\t': '⇥', '\r': '\\r' };

function escaped(run: string): string {
  let text = '';
  for (const char of run) text += names[char] ??= nameOf(char);
  return text;
}

function nameOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}
