import type { LogRow } from '../../backend/bindings';
import { levels } from '../../model/logs.svelte';

/** One line of what a server says of its work. Stderr has neither level nor logger. */
export type SpokenLine = {
  source: 'message' | 'stderr';
  /** As the server wrote it, whether there is such a level or not; none where the message has none. */
  level: string | null;
  logger: string | null;
  text: string;
};

export function lineOf({ kind, target }: Pick<LogRow, 'kind' | 'target'>): SpokenLine {
  const text = target ?? '';
  if (kind === 'stderr') return { source: 'stderr', level: null, logger: null, text };
  if (target === null) return { source: 'message', level: null, logger: null, text };
  return { source: 'message', ...split(text) };
}

/**
 * Takes apart what the core made of a message: `level logger: data` or `level: data`. All three are text of the server,
 * so where they end is certain only for the levels that there are; of anything else the first word is the level.
 */
function split(target: string): Omit<SpokenLine, 'source'> {
  const known = levels.find((level) => target.startsWith(`${level}: `));
  if (known !== undefined) return { level: known, logger: null, text: target.slice(known.length + 2) };
  const colon = target.indexOf(': ');
  const head = colon === -1 ? target : target.slice(0, colon);
  const space = head.indexOf(' ');
  return {
    level: space === -1 ? head : head.slice(0, space),
    logger: space === -1 ? null : head.slice(space + 1),
    text: colon === -1 ? '' : target.slice(colon + 2),
  };
}

/** How grave a line is, as a shape, a word and a colour. */
export type Gravity = { glyph: string; word: string; tone: 'faint' | 'dim' | 'text' | 'warn' | 'err' };

const gravities: Record<(typeof levels)[number], Omit<Gravity, 'word'>> = {
  debug: { glyph: '·', tone: 'faint' },
  info: { glyph: '○', tone: 'dim' },
  notice: { glyph: '◇', tone: 'text' },
  warning: { glyph: '▲', tone: 'warn' },
  error: { glyph: '✗', tone: 'err' },
  critical: { glyph: '‼', tone: 'err' },
  alert: { glyph: '‼', tone: 'err' },
  emergency: { glyph: '‼', tone: 'err' },
};

export function gravityOf({ source, level }: Pick<SpokenLine, 'source' | 'level'>): Gravity {
  if (source === 'stderr') return { glyph: '┆', word: 'stderr', tone: 'faint' };
  if (level === null) return { glyph: '?', word: 'no level', tone: 'warn' };
  const known = levels.find((each) => each === level);
  return known === undefined
    ? { glyph: '?', word: level, tone: 'warn' }
    : { ...gravities[known], word: known };
}

/** A text cut at what is sought, whatever the case of its letters: a piece at an odd place is a match. */
export function pieces(text: string, sought: string): string[] {
  if (sought === '') return [text];
  const pattern = new RegExp(`(${sought.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')})`, 'giu');
  // A search for one letter must not make an element of every other one.
  const found = text.split(pattern, mostMatches * 2);
  const end = found.reduce((sum, piece) => sum + piece.length, 0);
  if (end < text.length) found.push(text.slice(end));
  return found;
}

const mostMatches = 40;
