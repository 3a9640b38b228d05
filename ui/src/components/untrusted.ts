/**
 * Text of a server, cut into what is shown as it is and what is made visible: control, bidi and zero-width
 * characters, tags, lone surrogates. A piece at an odd place is a token; the pieces joined are the text to copy.
 */
export function pieces(text: string, newlines: 'kept' | 'escaped'): string[] {
  const pattern = newlines === 'kept' ? hidden : hiddenInline;
  pattern.lastIndex = 0;
  if (!pattern.test(text)) return [text];
  const found: string[] = [];
  let end = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (found.length >= mostTokens * 2) {
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

const names: Record<string, string> = { '\n': '⏎', '\t': '⇥', '\r': '\\r' };

function escaped(run: string): string {
  let text = '';
  for (const char of run) {
    const code = char.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    text +=
      names[char] ??
      (code <= 0xff
        ? `\\x${hex.padStart(2, '0')}`
        : code <= 0xffff
          ? `\\u${hex.padStart(4, '0')}`
          : `\\u{${hex}}`);
  }
  return text;
}
