import { describe, expect, it } from 'vitest';
import { readJson } from './read';
import { fillIn, isVariableName } from './variables';
import { compact } from './write';

const values = new Map([
  ['city', 'Oslo'],
  ['quote', 'a "b"\n{{city}}'],
  ['empty', ''],
  ['__proto__', 'odd'],
]);
const filled = (text: string): string => compact(fillIn(readJson(text).value, values).value);

describe('variables in a value', () => {
  it.each([
    ['{"a":"{{city}}"}', '{"a":"Oslo"}'],
    ['{"a":"to {{ city }}, from {{city}}"}', '{"a":"to Oslo, from Oslo"}'],
    ['["{{city}}",{"b":["{{empty}}"]}]', '["Oslo",{"b":[""]}]'],
    ['"{{__proto__}}"', '"odd"'],
  ])('are filled in: %s becomes %s', (before, after) => expect(filled(before)).toBe(after));

  it('are escaped as text, and what they bring is not filled in again', () => {
    expect(filled('{"a":"{{quote}}"}')).toBe(String.raw`{"a":"a \"b\"\n{{city}}"}`);
  });

  it.each([
    '{"{{city}}":1}',
    '{"n":12345678901234567890,"s":"\\u0041"}',
    '"{{}} {{ }} {city} {{a b}} {{1}} {{user.name}}"',
  ])('are looked for only in texts, and nothing else is touched: %s', (text) =>
    expect(filled(text)).toBe(text),
  );

  it('that nobody set are named, each once, and left as they stand', () => {
    const { value, unknown, used } = fillIn(
      readJson('{"a":"{{town}} {{city}} {{town}}","b":["{{constructor}}"]}').value,
      values,
    );
    expect(unknown).toEqual(['town', 'constructor']);
    expect(used).toEqual(['city']);
    expect(compact(value)).toBe('{"a":"{{town}} Oslo {{town}}","b":["{{constructor}}"]}');
  });

  it('have names that can be written', () => {
    expect(['city', '_a-c', 'x1'].every(isVariableName)).toBe(true);
    expect(['', '1x', 'a.b', 'a b', 'a}', 'a'.repeat(65), 'a\n'].some(isVariableName)).toBe(false);
  });
});
