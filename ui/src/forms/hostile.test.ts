import { flushSync, mount, unmount } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Draft } from './draft.svelte';
import { longestSchema, SchemaBook } from './schema';
import SchemaForm from './SchemaForm.svelte';

let close = (): void => undefined;
afterEach(() => {
  close();
  vi.restoreAllMocks();
});

/** Elements that a form of anybody's schema may have at first. */
const most = 8000;

function drawn(schema: string, given?: string): { draft: Draft; target: HTMLElement } {
  const target = document.body.appendChild(document.createElement('div'));
  const draft = new Draft(schema);
  if (given !== undefined) draft.setText(given);
  // Nothing is to be left for later.
  draft.pace.hurry();
  const form = mount(SchemaForm, { target, props: { draft } });
  flushSync();
  close = () => {
    close = () => undefined;
    void unmount(form);
    target.remove();
  };
  return { draft, target };
}

const object = (properties: string, more = ''): string =>
  `{"type":"object","properties":{${properties}}${more}}`;
const repeat = (count: number, one: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => one(at)).join(',');

/** Schemas that are made to be endless, exponential or enormous. */
const bombs: [string, string][] = [
  ['requires itself', object('"a":{"$ref":"#"}', ',"required":["a"]')],
  ['refers to itself and nothing else', '{"$ref":"#"}'],
  [
    'goes round in a circle',
    '{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}',
  ],
  ['is all of itself', '{"allOf":[{"$ref":"#"},{"$ref":"#"}],"type":"object"}'],
  ['is any of itself', '{"anyOf":[{"$ref":"#"},{"$ref":"#"}],"type":"object"}'],
  [
    'doubles thirty times',
    `{"$ref":"#/$defs/d0","$defs":{${repeat(30, (at) => `"d${at}":{"allOf":[{"$ref":"#/$defs/d${at + 1}"},{"$ref":"#/$defs/d${at + 1}"}]}`)},"d30":{"type":"object"}}}`,
  ],
  [
    'requires two of itself, level after level',
    `{"$ref":"#/$defs/d0","$defs":{${repeat(30, (at) => `"d${at}":${object(`"l":{"$ref":"#/$defs/d${at + 1}"},"r":{"$ref":"#/$defs/d${at + 1}"}`, ',"required":["l","r"]')}`)},"d30":{"type":"string"}}}`,
  ],
  ['has ten thousand fields', object(repeat(10_000, (at) => `"p${at}":{"type":"string"}`))],
  [
    'requires ten thousand objects',
    object(
      repeat(10_000, (at) => `"p${at}":{"type":"object"}`),
      `,"required":[${repeat(10_000, (at) => `"p${at}"`)}]`,
    ),
  ],
  [
    'is fifteen thousand variants',
    `{"type":"object","anyOf":[${repeat(15_000, (at) => `{"required":["p${at}"]}`)}]}`,
  ],
  [
    'has a field of eight thousand variants',
    object(`"u":{"oneOf":[${repeat(8000, (at) => `{"type":"object","properties":{"p${at}":{}}}`)}]}`),
  ],
  ['lists sixty thousand choices', object(`"e":{"enum":[${repeat(60_000, String)}]}`)],
  [
    'wants a million items',
    object('"l":{"type":"array","minItems":1e6,"items":{"type":"object"}}', ',"required":["l"]'),
  ],
  [
    'says itself in three hundred thousand characters',
    object(
      `"d":{"type":"string","title":"${'t'.repeat(1e5)}","description":"${'d\\n'.repeat(5e4)}","default":"${'v'.repeat(1e5)}"}`,
      ',"required":["d"]',
    ),
  ],
  [
    'has a pattern that hangs',
    object(
      '"s":{"type":"string","pattern":"^(a+)+$"}',
      ',"patternProperties":{"^(([a-z])+.)+[A-Z]([a-z])+$":{}}',
    ),
  ],
  [
    'is as deep as can be read',
    object(
      '',
      `,"properties":{"d":${'{"type":"object","required":["d"],"properties":{"d":'.repeat(60)}true${'}}'.repeat(60)}},"required":["d"]`,
    ),
  ],
  ['is deeper than that', `${'{"not":'.repeat(10_000)}{}${'}'.repeat(10_000)}`],
  ['decides by itself', '{"type":"object","if":{"$ref":"#"},"then":{"$ref":"#"},"else":{"$ref":"#"}}'],
];

/** Schemas whose every part is cheap, and would have to be looked at again and again. */
const greedy: [string, string][] = [
  [
    'requires the same ten thousand fields a hundred times',
    object(
      repeat(100, (at) => `"p${at}":{"title":"${at}","$ref":"#/$defs/big"}`),
      `,"required":[${repeat(100, (at) => `"p${at}"`)}],"$defs":{"big":${object(
        repeat(10_000, (at) => `"q${at}":{}`),
        ',"required":["q0"]',
      )}}`,
    ),
  ],
  [
    'starts with two hundred members that fit none of its variants',
    object(
      `"v":{"default":{${repeat(200, (at) => `"m${at}":"x"`)}},"oneOf":[${repeat(
        30,
        (at) =>
          `{"required":["z"],"properties":{"z":{"const":${at}},${repeat(200, (to) => `"m${to}":{"$ref":"#/$defs/slow"}`)}}}`,
      )}]}`,
      `,"required":["v"],"$defs":{"slow":{"allOf":[${repeat(90, () => '{"not":{"const":"y"}}')}]}}`,
    ),
  ],
  [
    'is a hundred unions of a hundred',
    `{"type":"object","allOf":[${repeat(100, (of) => `{"anyOf":[${repeat(100, (at) => `{"required":["r${of}.${at}"]}`)}]}`)}]}`,
  ],
];

/** What may stand where a keyword is expected, and does not belong there. */
const junk = [
  'null',
  'true',
  '-1',
  '1e999',
  '""',
  '"object"',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '{"a":null}',
  '{"$ref":7}',
  '"\\ud800"',
  '{"__proto__":{}}',
];
const keywords =
  'type enum const default examples title description properties required additionalProperties patternProperties propertyNames dependentRequired dependentSchemas dependencies items prefixItems additionalItems contains minItems maxItems uniqueItems minContains oneOf anyOf allOf not if then else $ref $dynamicRef $recursiveRef $id $anchor $dynamicAnchor $defs definitions format pattern minLength maxLength minimum maximum multipleOf deprecated readOnly writeOnly nullable enumNames contentMediaType contentEncoding unevaluatedProperties unevaluatedItems $schema $vocabulary'.split(
    ' ',
  );

describe('a schema that', () => {
  it.each(bombs)('%s gives a form of bounded size', (_, schema) => {
    const { draft, target } = drawn(schema);
    expect(target.querySelectorAll('*').length).toBeLessThan(most);
    expect(draft.text.length, 'what it starts with is bounded as well').toBeLessThan(2_500_000);
    if (draft.whole === null) expect(() => JSON.parse(draft.sendable ?? '{}') as unknown).not.toThrow();
  });

  it.each(greedy)('%s is looked into only so far', (_, schema) => {
    const enter = vi.spyOn(SchemaBook.prototype, 'enter');
    const { target } = drawn(schema);
    expect(target.querySelectorAll('*').length).toBeLessThan(most);
    expect(enter.mock.calls.length).toBeLessThan(70_000);
  });

  it('lists two thousand choices twice, and no two the same, compares each but once', () => {
    const choices = (from: number): string => repeat(2000, (at) => `"c${from + at}"`);
    const write = vi.spyOn(JSON, 'stringify');
    drawn(object(`"e":{"enum":[${choices(0)}],"allOf":[{"enum":[${choices(2000)}]}]}`));
    expect(write.mock.calls.length).toBeLessThan(10_000);
  });

  it('takes longer to read than the window can wait is for JSON, and the reason is told', () => {
    const schema = object(`"s":{"description":"${'d'.repeat(longestSchema)}"}`);
    const draft = new Draft(schema);
    expect(draft.whole).toBe(`the schema has ${schema.length.toLocaleString('en')} characters`);
    draft.setText('{"s":1}');
    expect(draft.sendable).toBe('{"s":1}');
  });

  it('has junk for any keyword, at the top and in fields, gives a form', async () => {
    const given = '{"p0":[1,{"a":null}],"p1":{"a":2},"p2":"x","p3":null,"q":12345678901234567890}';
    for (const keyword of keywords) {
      const schemas = junk.map((value) => `{${JSON.stringify(keyword)}:${value}}`);
      for (const schema of schemas) {
        const draft = new Draft(schema);
        draft.setText(given);
        expect(draft.shape([draft.book!.root], [], draft.root), schema).not.toBeNull();
        expect(draft.sendable, schema).toBe(given);
      }
      const fields = schemas.map((schema, at) => `"p${at}":${schema}`).join(',');
      const { draft, target } = drawn(object(fields), given);
      expect(draft.sendable, keyword).toBe(given);
      const named = [...target.querySelectorAll<HTMLElement>('[data-field]')].map(
        (each) => each.dataset['field'],
      );
      expect(named, keyword).toEqual(expect.arrayContaining([...junk.keys()].map((at) => `p${at}`)));
      close();
      // What was taken out of the page is held until the turn ends.
      await new Promise((resolve) => setTimeout(resolve));
    }
  });
});

describe('a value that', () => {
  const list = object('"l":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}}}}');

  it('has a hundred thousand items is shown in part, and kept whole', () => {
    const text = `{"l":[${repeat(100_000, (at) => `{"n":${at}}`)}]}`;
    const { draft, target } = drawn(list, text);
    expect(target.querySelectorAll('*').length).toBeLessThan(most);
    expect(target.textContent).toContain('99,950 more items');
    expect(draft.sendable?.length).toBe(text.length);
  });

  it('branches again and again begins folded', () => {
    const tree = (depth: number): string => (depth === 0 ? '1' : `[${repeat(6, () => tree(depth - 1))}]`);
    const { target } = drawn(
      object(
        '"l":{"$ref":"#/$defs/l"}',
        ',"$defs":{"l":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/l"}},{"type":"integer"}]}}',
      ),
      `{"l":${tree(6)}}`,
    );
    expect(target.querySelectorAll('*').length).toBeLessThan(most);
  });

  it('is deeper than fields go is JSON from there on', () => {
    const deep = `${'{"d":'.repeat(100)}1${'}'.repeat(100)}`;
    const { draft, target } = drawn('{"type":"object","properties":{"d":{"$ref":"#"}}}', deep);
    expect(draft.sendable).toBe(deep);
    expect(target.textContent).toContain('deeper than 10 levels');
    expect(target.querySelectorAll('textarea')).toHaveLength(1);
  });

  it('has names of every kind keeps them all, and pollutes nothing', () => {
    const text = '{"__proto__":{"x":1},"constructor":1,"":2,"a/b":3,"a~b":4,"toString":null,"\\u202e":5}';
    const { draft, target } = drawn('{"type":"object","properties":{"__proto__":{"type":"object"}}}', text);
    expect(JSON.parse(draft.sendable!)).toEqual(JSON.parse(text));
    draft.change(['__proto__', 'y'], { kind: 'number', text: '2' });
    expect(draft.sendable).toContain('"__proto__":{"x":1,"y":2}');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    expect(target.querySelectorAll('[data-field]').length).toBeGreaterThanOrEqual(7);
  });

  it('has two members of one name is JSON there, and stays as it is', () => {
    const text = '{"o":{"a":1,"a":2},"b":"x"}';
    const { draft, target } = drawn(object('"o":{"type":"object"},"b":{"type":"string"}'), text);
    expect(target.textContent).toContain('two members have the same name');
    draft.change(['b'], { kind: 'string', value: 'y', text: '"y"' });
    expect(draft.sendable).toBe('{"o":{"a":1,"a":2},"b":"y"}');
    const whole = drawn(object('"a":{}'), '{"a":1,"a":2}');
    expect(whole.draft.sendable, 'at the top, too').toBe('{"a":1,"a":2}');
  });
});
