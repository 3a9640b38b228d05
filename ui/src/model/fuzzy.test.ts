import { describe, expect, it } from 'vitest';
import { fit } from './fuzzy';

const best = (query: string, texts: string[]): string[] =>
  texts
    .map((text) => ({ text, score: fit(query, text) }))
    .filter((each) => each.score !== null)
    .sort((one, other) => (other.score ?? 0) - (one.score ?? 0))
    .map((each) => each.text);

describe('what is typed', () => {
  it('is found by words in any order', () => {
    expect(fit('read file', 'filesystem read_file')).not.toBeNull();
    expect(fit('file gone', 'filesystem read_file')).toBeNull();
    expect(fit('', 'anything')).not.toBeNull();
  });

  it('prefers whole words, then beginnings, then what is within', () => {
    expect(best('add', ['reload adder', 'padding', 'add'])).toEqual(['add', 'reload adder', 'padding']);
    expect(best('con', ['second', 'Disconnect all', 'Connect'])[0]).toBe('Connect');
  });

  it('is found letter by letter where the letters begin words', () => {
    expect(fit('rf', 'read_file')).not.toBeNull();
    expect(fit('rF', 'readFile')).not.toBeNull();
    expect(fit('dca', 'Disconnect all'), 'c begins no word').toBeNull();
    expect(fit('rd', 'read'), 'nor does d').toBeNull();
  });
});
