import { describe, expect, it } from 'vitest';
import { bytesOf, comparable } from './compare';

const contents = (...list: unknown[]): string => JSON.stringify({ contents: list });

describe('what was read, to be compared', () => {
  it('is the text itself where there is one', () => {
    expect(comparable(contents({ uri: 'a', text: 'one\ntwo' }))).toBe('one\ntwo');
  });

  it('has JSON written the same way whoever wrote it, with numbers as they were', () => {
    const loose = comparable(
      contents({ uri: 'a', mimeType: 'application/json', text: '{"a":1.50,\n"b":[]}' }),
    );
    const dense = comparable(contents({ uri: 'a', mimeType: 'application/json', text: '{"a":1.50,"b":[]}' }));
    expect(loose).toBe(dense);
    expect(loose).toContain('"a": 1.50');
  });

  it('leaves alone what is said to be something else, or is no JSON', () => {
    expect(comparable(contents({ mimeType: 'text/plain', text: '{"a":1}' }))).toBe('{"a":1}');
    expect(comparable(contents({ text: '{"a":' }))).toBe('{"a":');
  });

  it('tells bytes apart by how many they are and by their sum', () => {
    const one = comparable(contents({ blob: btoa('abc') }));
    expect(one).toMatch(/^3 bytes, sum [0-9a-f]{8}$/);
    expect(comparable(contents({ blob: btoa('abd') }))).not.toBe(one);
    expect(bytesOf(btoa('abcd'))).toBe(4);
  });

  it('names the parts where there are several', () => {
    const text = comparable(contents({ uri: 'a', text: '1' }, { uri: 'b', mimeType: 'text/x', blob: '' }));
    expect(text).toContain('a\n1');
    expect(text).toContain('b · text/x\n0 bytes');
  });

  it('is whatever came, where that is no result of a read, or only a part of one', () => {
    expect(comparable('{"content":[1]}')).toContain('"content"');
    expect(comparable('{"contents":[{"uri":"a","text":"half of')).toBe('half of');
    expect(comparable('')).toBe('');
  });
});
