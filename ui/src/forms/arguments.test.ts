import { describe, expect, it } from 'vitest';
import { readJson } from '../json/read';
import { absent, buildArguments, initialValues, readArguments, type Value } from './arguments';
import { readForm } from './field';

const form = readForm(`{
  "type": "object",
  "properties": {
    "count": { "type": "integer", "minimum": 1, "maximum": 9 },
    "price": { "type": "number" },
    "city": { "type": "string", "minLength": 2 },
    "when": { "type": "string", "format": "date" },
    "loud": { "type": "boolean" },
    "mode": { "enum": ["fast", "slow", 3] },
    "list": { "type": "array" },
    "note": { "type": ["string", "null"] }
  }
}`);
const typed = (text: string): Value => ({ state: 'typed', text });
const build = (values: Record<string, Value>) => buildArguments(form.fields, new Map(Object.entries(values)));

describe('the text of arguments', () => {
  it('has only the fields that were touched', () => {
    expect(build({}).text).toBe('{}');
    expect(build({ city: typed('Oslo'), count: absent }).text).toBe('{"city":"Oslo"}');
  });

  it.each(['12345678901234567890', '1.10', '-0', '1e400', '2'])(
    'has the number %s as it was typed',
    (text) => {
      expect(build({ price: typed(text) })).toEqual({
        text: `{"price":${text}}`,
        sendable: true,
        problems: new Map(),
      });
    },
  );

  it('has each type as itself', () => {
    const values = {
      count: typed('2'),
      city: typed('2'),
      loud: typed('false'),
      mode: typed('3'),
      list: typed('[1.0, {"a": 1}]'),
      note: { state: 'null' } as Value,
    };
    expect(build(values).text).toBe(
      '{"count":2,"city":"2","loud":false,"mode":3,"list":[1.0,{"a":1}],"note":null}',
    );
  });

  it('escapes what needs it', () => {
    expect(build({ note: typed('a "quote"\nline') }).text).toBe('{"note":"a \\"quote\\"\\nline"}');
  });

  it('can have an empty text', () => {
    expect(build({ note: typed('') }).text).toBe('{"note":""}');
  });
});

describe('the problem of a field', () => {
  it.each([
    ['count', '0', 'must be at least 1', true],
    ['count', '99999999999999999999', 'must be at most 9', true],
    ['count', '1.5', 'must be an integer', true],
    ['count', 'x', 'must be an integer', false],
    ['count', '', 'must be an integer', false],
    ['count', '01', 'must be an integer', false],
    ['price', '.5', 'must be a number', false],
    ['price', '"5"', 'must be a number', true],
    ['city', 'X', 'must have at least 2 characters', true],
    ['when', 'tomorrow', 'must be a date, as in `2026-03-31`', true],
    ['list', '[1,\n2', 'line 2, column 2: a comma or a closing bracket is expected here', false],
    ['mode', '"other"', 'must be one of the choices', true],
  ])('%s of %j: %s', (name, text, message, sendable) => {
    const built = build({ [name]: typed(text) });
    expect(built.problems.get(name)).toBe(message);
    expect(built.sendable, 'only what is no JSON can not be sent').toBe(sendable);
  });

  it('compares integers beyond doubles exactly', () => {
    const big = readForm('{"properties":{"n":{"type":"integer","maximum":9007199254740992}}}');
    const built = buildArguments(big.fields, new Map([['n', typed('9007199254740993')]]));
    expect(built.problems.get('n')).toBe('must be at most 9007199254740992');
  });

  it('does not run a pattern that may hang', () => {
    const evil = readForm('{"properties":{"s":{"type":"string","pattern":"^(a+)+$"}}}');
    expect(buildArguments(evil.fields, new Map([['s', typed(`${'a'.repeat(40)}!`)]])).problems.size).toBe(0);
  });
});

describe('a required field', () => {
  const strict = readForm(
    '{"properties":{"a":{"type":"integer","default":1.0},"b":{"const":"x"},"c":{"type":"string"}},"required":["a","b","c"]}',
  );

  it('starts with its default or its only choice', () => {
    expect(buildArguments(strict.fields, initialValues(strict)).text).toBe('{"a":1.0,"b":"x"}');
  });

  it('is missed when it is not there, and can be left out all the same', () => {
    const built = buildArguments(strict.fields, initialValues(strict));
    expect(built.problems).toEqual(new Map([['c', 'required']]));
    expect(built.sendable).toBe(true);
  });
});

describe('JSON typed by hand', () => {
  it('comes back from the form as it was', () => {
    const text = '{"count":12345678901234567890,"city":"Oslo","mode":3,"list":[1.10],"note":null}';
    const read = readArguments(form, readJson(text).value)!;
    expect(buildArguments(read.fields, read.values).text).toBe(text);
  });

  it('keeps properties that the schema does not name', () => {
    const read = readArguments(form, readJson('{"__proto__":{"x":1},"city":5}').value)!;
    expect(read.fields.at(-1)).toMatchObject({ name: '__proto__', control: { kind: 'json' } });
    expect(buildArguments(read.fields, read.values).text).toBe('{"city":5,"__proto__":{"x":1}}');
  });

  it('that is no object has no fields', () => {
    expect(readArguments(form, readJson('[1]').value)).toBeNull();
  });
});
