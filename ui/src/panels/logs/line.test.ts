import { describe, expect, it } from 'vitest';
import { levels } from '../../model/logs.svelte';
import { gravityOf, lineOf, pieces } from './line';

const message = (target: string | null) => {
  const { level, logger, text } = lineOf({ kind: 'notification', target });
  return [level, logger, text];
};

describe('a log message', () => {
  it('is taken apart into level, logger and data', () => {
    expect(message('info db.pool: up')).toEqual(['info', 'db.pool', 'up']);
    expect(message('info: up')).toEqual(['info', null, 'up']);
    expect(message('warning two words: up'), 'a logger may have a space').toEqual([
      'warning',
      'two words',
      'up',
    ]);
    expect(message('error: a: b c: d'), 'data may look like a logger').toEqual(['error', null, 'a: b c: d']);
    expect(message('info db: {"a": 1}')).toEqual(['info', 'db', '{"a": 1}']);
    expect(message('debug: '), 'nothing was said').toEqual(['debug', null, '']);
  });

  it('is a line whatever the server sends', () => {
    expect(message(null)).toEqual([null, null, '']);
    expect(message('')).toEqual(['', null, '']);
    expect(message('loud')).toEqual(['loud', null, '']);
    expect(message('loud db: up')).toEqual(['loud', 'db', 'up']);
    expect(message(': ')).toEqual(['', null, '']);
    expect(message('info : : x')).toEqual(['info', '', ': x']);
    expect(message(`info ${'l'.repeat(200)}…: ${'d'.repeat(200)}…`)).toEqual([
      'info',
      `${'l'.repeat(200)}…`,
      `${'d'.repeat(200)}…`,
    ]);
    expect(message('informed: x'), 'a word that begins like a level').toEqual(['informed', null, 'x']);
  });
});

it('a line of stderr is its text, whatever it looks like', () => {
  expect(lineOf({ kind: 'stderr', target: 'info db: up' })).toEqual({
    source: 'stderr',
    level: null,
    logger: null,
    text: 'info db: up',
  });
});

describe('how grave a line is', () => {
  it('has a shape and a word of its own, up to where only the word differs', () => {
    const all = levels.map((level) => gravityOf({ source: 'message', level }));
    expect(all.map((each) => each.word)).toEqual([...levels]);
    expect(new Set(all.map((each) => each.glyph)).size, 'the three gravest share one').toBe(6);
  });

  it('is said in the words of the server where there is no such level', () => {
    expect(gravityOf({ source: 'message', level: 'loud' })).toMatchObject({ glyph: '?', word: 'loud' });
    expect(gravityOf({ source: 'message', level: 'constructor' }).glyph).toBe('?');
    expect(gravityOf({ source: 'message', level: null }).word).toBe('no level');
    expect(gravityOf({ source: 'stderr', level: null }).word).toBe('stderr');
  });
});

describe('what is sought', () => {
  it('is found whatever the case of its letters, and is no pattern', () => {
    expect(pieces('Oslo to oslo', 'OSLO')).toEqual(['', 'Oslo', ' to ', 'oslo', '']);
    expect(pieces('a.b acb', 'a.b')).toEqual(['', 'a.b', ' acb']);
    for (const sought of ['[', '(', '*', '\\', '{1', '-', ']/', '$^', '\ud800'])
      expect(pieces(`x${sought}y`, sought), sought).toEqual(['x', sought, 'y']);
  });

  it('leaves a text as it is where nothing is sought or found', () => {
    expect(pieces('abc', '')).toEqual(['abc']);
    expect(pieces('abc', 'x')).toEqual(['abc']);
  });

  it('keeps every letter of a text with very many matches, and marks only the first', () => {
    const text = 'ab'.repeat(5000);
    const found = pieces(text, 'a');
    expect(found.join('')).toBe(text);
    expect(found.length).toBeLessThan(100);
  });
});
