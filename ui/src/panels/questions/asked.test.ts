import { describe, expect, it } from 'vitest';
import { question } from '../../model/stub';
import { aroundHost, readQuestion, type FormAsked } from './asked';

function asked(params: unknown, part = {}) {
  return readQuestion(question(1, { params: JSON.stringify(params), ...part }));
}

function form(properties: unknown, more: object = {}): FormAsked {
  const schema = { type: 'object', properties, ...more };
  return asked({ message: 'm', requestedSchema: schema }) as FormAsked;
}

const strays = (properties: unknown, more: object = {}): string[] =>
  form(properties, more).strays.map(({ name, words }) => `${name ?? ''} ${words}`.trim());

describe('a question', () => {
  it('is a form unless it says otherwise, and a page where it says so', () => {
    expect(asked({ message: 'm' })).toMatchObject({ kind: 'form', message: 'm' });
    expect(asked({ mode: 'form', message: 3 })).toMatchObject({ kind: 'form', message: null });
    expect(asked({ mode: 'url', url: 'https://a.test/' })).toEqual({
      kind: 'page',
      message: null,
      url: 'https://a.test/',
    });
  });

  it('is shown as JSON where nobody can tell what it is', () => {
    expect(asked({ mode: 'voice', message: 'm' }).kind).toBe('other');
    expect(asked({ message: 'm' }, { method: 'sampling/createMessage' }).kind).toBe('other');
    expect(asked({ message: 'm' }, { clipped: true }).kind, 'no form of a part').toBe('other');
    expect(readQuestion(question(1, { params: 'no JSON' })).kind).toBe('other');
    expect(readQuestion(question(1)).kind).toBe('form');
  });
});

describe('what a question may ask for', () => {
  it('is every field of the specification', () => {
    const fields = {
      text: { type: 'string', title: 't', description: 'd', minLength: 1, maxLength: 9, pattern: 'a' },
      email: { type: 'string', format: 'email', default: 'a@b.c' },
      number: { type: 'number', minimum: 0, maximum: 1 },
      integer: { type: 'integer', default: 3 },
      boolean: { type: 'boolean', default: true },
      single: { type: 'string', enum: ['a', 'b'] },
      titled: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
      legacy: { type: 'string', enum: ['a'], enumNames: ['A'] },
      multiple: { type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 1, maxItems: 2 },
      several: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] }, default: ['a'] },
    };
    expect(strays(fields, { required: ['text'], $schema: 'x' })).toEqual([]);
  });

  it('is nothing else, and each thing beyond it is told in words', () => {
    expect(strays({ a: { type: 'object', properties: {} } })).toEqual(['a is an object within the form']);
    expect(strays({ a: { type: 'array', items: { type: 'object' } } })).toEqual([
      'a is a list without choices',
    ]);
    expect(strays({ a: { type: ['string', 'null'] } })).toEqual(['a has no single type']);
    expect(strays({ a: true })).toEqual(['a has no schema']);
    expect(strays({ a: { type: 'string', $ref: '#' } })[0]).toContain('$ref');
    expect(strays({ a: { type: 'string', format: 'password' } })[0]).toContain('password');
    expect(strays({ a: { type: 'string', oneOf: [{ type: 'string' }] } })).toHaveLength(1);
    expect(strays({}, { allOf: [] })).toEqual(['allOf is no keyword of a form']);
    expect(strays({}, { required: ['x'] })).toEqual(['x is required and not described']);
    expect(strays(undefined)).toEqual(['the schema names no fields']);
    expect((asked({ message: 'm' }) as FormAsked).strays[0]?.words).toBe('there is no schema');
    const flat = asked({ requestedSchema: { properties: {} } }) as FormAsked;
    expect(flat.strays[0]?.words).toBe('the schema is not of the type object');
  });
});

describe('a secret', () => {
  it.each([
    'password',
    'userPassword',
    'db_passwd',
    'API-Key',
    'apikey',
    'access_token',
    'authToken',
    'client secret',
    'pin',
    'PIN code',
    'cardNumber',
    'card_number',
    'cvv',
    'SSN',
    'privateKey',
    'credentials',
  ])('is seen by its name: %s', (name) => {
    expect(form({ [name]: { type: 'string' } }).secrets).toEqual([name]);
  });

  it.each(['name', 'maxTokens', 'secretary', 'pinned', 'className', 'tokenizer', 'spin', 'passenger'])(
    'is not every word that resembles one: %s',
    (name) => {
      expect(form({ [name]: { type: 'string' } }).secrets).toEqual([]);
    },
  );

  it('is seen by what is said about it, wherever it stands', () => {
    expect(form({ a: { type: 'string', title: 'Your password' } }).secrets).toEqual(['a']);
    expect(form({ a: { type: 'string', description: 'the API key of your account' } }).secrets).toEqual([
      'a',
    ]);
    expect(form({ a: { type: 'string', description: 'pin it to the wall' } }).secrets).toEqual([]);
    const deep = form({ a: { type: 'object', properties: { token: {}, b: { format: 'password' } } } });
    expect(deep.secrets).toEqual(['token', 'b']);
    expect([...deep.covered], 'those are not shown').toEqual(['b']);
  });

  it('is looked for in a schema of any size', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`token${at}`, {}]));
    expect(form(many).secrets).toHaveLength(10_000);
  });
});

describe('the host of an address', () => {
  it('is found where it stands, and not before it', () => {
    expect(aroundHost('https://a.test/x', 'a.test')).toEqual(['https://', 'a.test', '/x']);
    expect(aroundHost('https://a.test@b.test/', 'b.test')).toEqual(['https://a.test@', 'b.test', '/']);
    expect(aroundHost('https://b.test@B.test:8/?@', 'b.test')).toEqual([
      'https://b.test@',
      'B.test',
      ':8/?@',
    ]);
    expect(aroundHost('http://[::1]:1/', '[::1]')).toEqual(['http://', '[::1]', ':1/']);
  });

  it('is marked nowhere where it is written otherwise', () => {
    expect(aroundHost('https://exаmple.com/', 'xn--exmple-4nf.com')).toBeNull();
    expect(aroundHost('javascript:alert(1)', '')).toBeNull();
    expect(aroundHost('a.test', 'a.test')).toBeNull();
  });
});
