import { describe, expect, it } from 'vitest';
import { deepest, member, readJson } from './read';
import { compact, pretty } from './write';

describe('reading JSON', () => {
  it.each(['12345678901234567890', '1.10', '-0', '1e400', '0.30000000000000004', '1E+2'])(
    'keeps the number %s as written',
    (text) => {
      const { value, problem } = readJson(`{"n":${text}}`);
      expect(problem).toBeNull();
      expect(member(value, 'n')).toEqual({ kind: 'number', text });
    },
  );

  it('keeps duplicate members, in order, and marks the later ones', () => {
    const { value } = readJson('{"b":1,"a":2,"b":3}');
    expect(value).toMatchObject({
      members: [
        { key: 'b', value: { text: '1' }, duplicate: false },
        { key: 'a', value: { text: '2' }, duplicate: false },
        { key: 'b', value: { text: '3' }, duplicate: true },
      ],
    });
  });

  it('treats __proto__ as a name like any other', () => {
    const { value } = readJson('{"__proto__":{"x":1}}');
    expect(member(value, '__proto__')?.kind).toBe('object');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('decodes escapes, lone surrogates included', () => {
    expect(member(readJson(String.raw`{"s":"a\n\u0041\ud800\"\\"}`).value, 's')).toMatchObject({
      value: 'a\nA\ud800"\\',
    });
  });

  it('keeps what is too deep as text and reads on behind it', () => {
    const bomb = '['.repeat(1000) + '"]"' + ']'.repeat(1000);
    const { value, problem } = readJson(`{"bomb":${bomb},"after":1}`);
    expect(problem).toBeNull();
    expect(member(value, 'after')).toEqual({ kind: 'number', text: '1' });
    expect(compact(value)).toContain(bomb);
  });

  it('survives a million brackets that never close', () => {
    const { value, problem } = readJson('['.repeat(1_000_000));
    expect(problem?.message).toContain('ends');
    let depth = 0;
    for (let node = value; node.kind === 'array' && node.items[0]; node = node.items[0]) depth += 1;
    expect(depth).toBe(deepest);
  });

  it.each([
    ['', 1, 1],
    ['{"a":1,}', 1, 8],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['[1,2', 1, 5],
    ['{"a" 1}', 1, 6],
    ['01', 1, 2],
    ["{'a':1}", 1, 2],
    ['"open', 1, 1],
    ['"bad \\x escape"', 1, 1],
    ['NaN', 1, 1],
    ['{} {}', 1, 4],
    ['"\n"', 1, 1],
  ])('says where %j stops being JSON', (text, line, column) => {
    expect(readJson(text).problem).toMatchObject({ line, column });
  });

  it('keeps what it could read of a text that was cut off', () => {
    const { value, problem } = readJson('{"a":1,"b":{"c":[1,2,{"d":"long te');
    expect(problem).not.toBeNull();
    expect(compact(value)).toBe('{"a":1,"b":{"c":[1,2,{"d":"long te}]}}');
  });

  it('never throws on garbage, and agrees with JSON.parse on what is JSON', () => {
    const alphabet = [
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '1',
      '-',
      '.',
      'e',
      'true',
      'null',
      '\\',
      'u00',
      ' ',
      '\n',
      'a',
      '\u0000',
      '\ud800',
    ];
    let seed = 7;
    const random = (limit: number): number => (seed = (seed * 48271) % 2147483647) % limit;
    for (let round = 0; round < 20_000; round += 1) {
      let text = '';
      for (let length = random(12); length >= 0; length -= 1) text += alphabet[random(alphabet.length)];
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      expect(readJson(text).problem === null, JSON.stringify(text)).toBe(valid);
    }
  });
});

describe('writing JSON', () => {
  it('gives back scalars verbatim, compact and indented', () => {
    const { value } = readJson('{ "a" : [ 1.10 , 12345678901234567890 ], "b": {}, "c": [] }');
    expect(compact(value)).toBe('{"a":[1.10,12345678901234567890],"b":{},"c":[]}');
    expect(pretty(value)).toBe(
      '{\n  "a": [\n    1.10,\n    12345678901234567890\n  ],\n  "b": {},\n  "c": []\n}',
    );
  });

  it('says the same value as the text it was read from', () => {
    const text = String.raw`{"k\u00e9y":["a\n",true,null,{"x":-1.5e3}]}`;
    expect(JSON.parse(compact(readJson(text).value))).toEqual(JSON.parse(text));
    expect(JSON.parse(pretty(readJson(text).value))).toEqual(JSON.parse(text));
  });
});
