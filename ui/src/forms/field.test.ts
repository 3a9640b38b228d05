import { describe, expect, it } from 'vitest';
import { buildArguments, initialValues } from './arguments';
import { readForm, type Field } from './field';

function only(property: unknown, required = false): Field {
  const { fields } = readForm(
    JSON.stringify({ type: 'object', properties: { p: property }, required: required ? ['p'] : [] }),
  );
  expect(fields).toHaveLength(1);
  return fields[0]!;
}

describe('the control of a property', () => {
  it.each([
    [{ type: 'string' }, 'text', 'text'],
    [{ type: 'string', format: 'date' }, 'text', 'date'],
    [{ type: 'string', minLength: 1, maxLength: 5 }, 'text', 'text, 1 to 5 characters'],
    [{ type: 'integer', minimum: 1, maximum: 9 }, 'number', 'integer, 1 to 9'],
    [
      { type: 'number', exclusiveMinimum: 0, multipleOf: 0.5 },
      'number',
      'number, above 0, a multiple of 0.5',
    ],
    [{ type: 'boolean' }, 'boolean', 'true or false'],
    [{ enum: ['a', 2, null] }, 'choice', 'one of 3'],
    [{ const: 'fixed' }, 'choice', 'always the same'],
    [{ type: ['string', 'null'] }, 'text', 'text, or null'],
    [{ type: 'object', properties: {} }, 'json', 'JSON object'],
    [{ type: 'array' }, 'json', 'JSON array'],
    [{ type: ['string', 'number'] }, 'json', 'JSON string or number'],
    [{ oneOf: [{ type: 'string' }] }, 'json', 'JSON'],
    [{ $ref: '#/x' }, 'json', 'JSON'],
    [{}, 'json', 'JSON'],
    [true, 'json', 'JSON'],
    [null, 'json', 'JSON'],
    [{ type: 'banana' }, 'json', 'JSON banana'],
    [{ type: 7, enum: [] }, 'json', 'JSON'],
  ])('of %j is %s', (schema, kind, rule) => {
    const field = only(schema);
    expect(field.control.kind).toBe(kind);
    expect(field.rule).toBe(rule);
  });

  it('keeps limits and defaults as they are written', () => {
    const { fields } = readForm(
      '{"properties":{"n":{"type":"integer","maximum":12345678901234567890,"default":1.10}}}',
    );
    expect(fields[0]).toMatchObject({
      initial: '1.10',
      control: { limits: [{ keyword: 'maximum', value: '12345678901234567890' }] },
    });
  });

  it('gives a required property that is not described a field of its own', () => {
    const { fields } = readForm('{"type":"object","properties":{},"required":["ghost"]}');
    expect(fields).toMatchObject([{ name: 'ghost', required: true, control: { kind: 'json' } }]);
  });
});

describe('a schema that is no flat object', () => {
  it.each([
    null,
    '',
    'nonsense',
    'true',
    '[]',
    '"x"',
    '{"type":"array"}',
    '{"$ref":"#/defs/x"}',
    '{"oneOf":[{}]}',
    '{}',
  ])('%j takes its arguments as one piece of JSON', (schema) => {
    expect(readForm(schema).whole).not.toBeNull();
  });

  it('without properties and with nothing more to take has an empty form', () => {
    expect(readForm('{"type":"object"}')).toEqual({ fields: [], whole: null, notes: [] });
    expect(readForm('{"type":"object","properties":{},"additionalProperties":false}').whole).toBeNull();
  });

  it('with properties and more says what the form does not check', () => {
    const form = readForm(
      '{"type":"object","properties":{"a":{"type":"string"}},"allOf":[{"required":["a"]}]}',
    );
    expect(form.fields).toHaveLength(1);
    expect(form.notes[0]).toContain('allOf');
  });
});

describe('any schema', () => {
  const names = ['a', '', '__proto__', 'constructor', 'toString', 'x y', '<img>', '\u202e', 'a"b', '日本'];
  const values: unknown[] = [
    null,
    true,
    false,
    0,
    -1,
    1e308,
    '',
    'string',
    'null',
    [],
    {},
    [null],
    ['string', 'null'],
    { type: 'object' },
    [{}, 1, 'x'],
    { $ref: '#' },
    'date-time',
    '(a+)+$',
    '[',
    { properties: { deep: { properties: {} } } },
  ];
  const keywords = [
    'type',
    'enum',
    'const',
    'default',
    'minimum',
    'maximum',
    'format',
    'pattern',
    'minLength',
    'title',
    'description',
    'items',
    'properties',
    'required',
    'oneOf',
    'anyOf',
    '$ref',
    'additionalProperties',
    'multipleOf',
    'not',
    'if',
  ];
  let seed = 11;
  const random = (limit: number): number => (seed = (seed * 48271) % 2147483647) % limit;
  const pick = <T>(from: T[]): T => from[random(from.length)]!;
  const schema = (): Map<string, unknown> =>
    new Map(Array.from({ length: random(6) }, () => [pick(keywords), pick(values)]));
  // By hand, because JSON.stringify of an object would drop `__proto__`.
  const write = (entries: Iterable<[string, string]>): string =>
    `{${[...entries].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
  const text = (map: Map<string, unknown>): string =>
    write([...map].map(([key, value]) => [key, JSON.stringify(value)]));

  it('never throws, loses no property, and always builds arguments', () => {
    for (let round = 0; round < 3000; round += 1) {
      const properties = new Map(
        Array.from({ length: random(5) }, () => [
          pick(names),
          random(8) === 0 ? JSON.stringify(pick(values)) : text(schema()),
        ]),
      );
      const required = Array.from({ length: random(3) }, () => pick(names));
      const root = write([
        ['type', '"object"'],
        ['properties', write(properties)],
        ['required', JSON.stringify(required)],
      ]);
      const form = readForm(root);
      expect(new Set(form.fields.map((field) => field.name)), root).toEqual(
        new Set([...properties.keys(), ...required]),
      );
      const { text: built } = buildArguments(form.fields, initialValues(form));
      expect(() => JSON.parse(built) as unknown, built).not.toThrow();
      readForm(text(schema()));
    }
  });
});
