import { flushSync, mount, tick, unmount } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Draft } from './draft.svelte';
import SchemaForm from './SchemaForm.svelte';

let close = (): void => undefined;
afterEach(() => close());

let draft: Draft;
let form: HTMLElement;

/** Draws the form of some properties. */
function open(properties: Record<string, unknown>, more: Record<string, unknown> = {}): void {
  form = document.body.appendChild(document.createElement('div'));
  draft = new Draft(JSON.stringify({ type: 'object', properties, ...more }));
  const mounted = mount(SchemaForm, { target: form, props: { draft } });
  flushSync();
  close = () => {
    close = () => undefined;
    void unmount(mounted);
    form.remove();
  };
}

function find<E extends HTMLElement = HTMLInputElement>(selector: string): E {
  const element = form.querySelector<E>(selector);
  if (element === null) throw new Error(`no ${selector} in ${form.textContent}`);
  return element;
}

function type(selector: string, text: string): void {
  const element = find(selector);
  element.value = text;
  element.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
}

function choose(selector: string, value: string): void {
  const element = find<HTMLSelectElement>(selector);
  element.value = value;
  element.dispatchEvent(new Event('change', { bubbles: true }));
  flushSync();
}

async function click(selector: string): Promise<void> {
  find(selector).click();
  flushSync();
  await tick();
}

const button = (label: string): string => `[aria-label="${label}"]`;

describe('a field', () => {
  it('of every plain kind sends what is entered', async () => {
    open({
      s: { type: 'string' },
      n: { type: 'number' },
      b: { type: 'boolean' },
      few: { enum: ['x', 2, null] },
      many: { enum: [1, 2, 3, 4, 5, 6, '7'] },
      any: {},
    });
    type('[data-field=s] textarea', 'a "b"\nc');
    type('[data-field=n] input', '1.10');
    await click('[data-field=b] [data-segment=false]');
    await click('[data-field=few] [data-segment="2"]');
    choose('[data-field=many] select', '6');
    type('[data-field=any] textarea', '{"deep": [1.0]}');
    expect(draft.sendable).toBe(
      '{"s":"a \\"b\\"\\nc","n":1.10,"b":false,"few":null,"many":"7","any":{"deep":[1.0]}}',
    );
    expect(find('[data-field=any] textarea').value, 'as it was typed').toBe('{"deep": [1.0]}');
    type('[data-field=s] textarea', '');
    expect(draft.sendable, 'what is emptied is not sent').not.toContain('"s"');
  });

  it('has its label, its description and what is wrong with it by reference', () => {
    open({ n: { type: 'integer', description: 'How many', minimum: 1 } });
    type('[data-field=n] input', '0');
    draft.judge(draft.sendable!, [{ place: '/n', message: 'must be at least 1' }], null);
    flushSync();
    const input = find('[data-field=n] input');
    expect(form.querySelector(`label[for="${input.id}"]`)?.textContent).toMatch(/n\s+integer, at least 1/);
    const described = input.getAttribute('aria-describedby')!.split(' ');
    expect(described.map((id) => document.getElementById(id)?.textContent?.trim())).toEqual([
      'How many',
      '▲ must be at least 1',
    ]);
  });

  it('has its default and its examples one click away', async () => {
    open({ city: { type: 'string', default: 'Oslo', examples: ['Bergen'] } });
    await click('.offer');
    expect(draft.sendable).toBe('{"city":"Oslo"}');
    await click('.offer');
    expect(draft.sendable, 'the default is used, so the example is what is left').toBe('{"city":"Bergen"}');
  });

  it('of several types can be any of them, and null where that is allowed', async () => {
    open({ v: { type: ['string', 'number', 'null'] } });
    type('[data-field=v] textarea', '12');
    choose('[data-field=v] select', 'number');
    type('[data-field=v] input', '12');
    expect(draft.sendable).toBe('{"v":12}');
    await click('[title="Send null"]');
    expect(draft.sendable).toBe('{"v":null}');
  });

  it('keeps what is no JSON yet, and sends nothing', () => {
    open({ any: {} });
    type('[data-field=any] textarea', '{"a":');
    expect(find('[data-field=any] textarea').value).toBe('{"a":');
    expect(draft.sendable).toBeNull();
    type('[data-field=any] textarea', '{"a":"b"}');
    expect(draft.sendable).toBe('{"any":{"a":"b"}}');
  });
});

describe('a text', () => {
  it.each(['one\r\ntwo', 'old\rMac', '\r'])('of %j keeps its carriage returns, as JSON', (given) => {
    open({ s: { type: 'string' } });
    draft.setText(JSON.stringify({ s: given }));
    flushSync();
    expect(form.textContent, 'it says why').toContain('As JSON: a text with carriage returns');
    const { value } = find('[data-field=s] textarea');
    expect(value, 'nothing in it that a text area would drop').toBe(JSON.stringify(given));
    type('[data-field=s] textarea', value.replace(/"$/, '!"'));
    expect(draft.sendable).toBe(JSON.stringify({ s: `${given}!` }));
    type('[data-field=s] textarea', '"plain"');
    find('[title="Back to the form"]').click();
    flushSync();
    expect(find('[data-field=s] textarea').value, 'without them it is a text again').toBe('plain');
  });

  it('that is secret keeps its lines, which no password field has', () => {
    open({ s: { type: 'string', format: 'password' } });
    draft.setText('{"s":"a\\nb"}');
    flushSync();
    expect(find('[data-field=s] textarea').value).toBe('"a\\nb"');
  });

  it('that is very long is put into a text area only when asked for, and stays in it', async () => {
    const long = 'v'.repeat(30_000);
    open({ s: { type: 'string', default: long } }, { required: ['s'] });
    expect(form.querySelector('textarea'), 'laying it out takes long').toBeNull();
    expect(form.textContent).toContain('30,000 characters');
    await click('[data-field=s] p button');
    type('[data-field=s] textarea', `${long}w`);
    expect(find('[data-field=s] textarea').value, 'it is not taken away while one types').toBe(`${long}w`);
    expect(draft.sendable).toBe(`{"s":"${long}w"}`);
  });
});

describe('a list', () => {
  const values = (): string[] => [...form.querySelectorAll('textarea')].map((each) => each.value);

  it('is added to, put in another order and taken from, and the focus stays with it', async () => {
    open({ l: { type: 'array', items: { type: 'string' } } });
    await click(button('Add l'));
    for (const text of ['a', 'b', 'c']) {
      [...form.querySelectorAll('button')].find((each) => each.textContent === '+ Add item')!.click();
      flushSync();
      await tick();
      await tick();
      const last = [...form.querySelectorAll('textarea')].at(-1)!;
      expect(document.activeElement, 'the new item can be typed at once').toBe(last);
      last.value = text;
      last.dispatchEvent(new Event('input', { bubbles: true }));
      flushSync();
    }
    await click(button('Move item 3 up'));
    expect(values()).toEqual(['a', 'c', 'b']);
    await tick();
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Move item 2 up');
    await click(button('Remove item 1'));
    expect(draft.sendable).toBe('{"l":["c","b"]}');
    await tick();
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Remove item 1');
  });

  it('begins with as many items as there have to be, each by its own schema', async () => {
    open({
      p: { type: 'array', prefixItems: [{ const: 'x' }, { type: 'integer', minimum: 3 }], minItems: 2 },
    });
    await click(button('Add p'));
    expect(draft.sendable).toBe('{"p":["x",3]}');
  });
});

describe('an object', () => {
  it('within an object is added, folded and taken away', async () => {
    open({ o: { type: 'object', properties: { a: { type: 'string' }, k: { const: 1 } }, required: ['k'] } });
    expect(draft.sendable).toBe('{}');
    await click(button('Add o'));
    type('[data-field=o] [data-field=a] textarea', 'x');
    expect(draft.sendable).toBe('{"o":{"a":"x","k":1}}');
    await click('[data-field=o] [aria-expanded=true]');
    expect(form.querySelector('[data-field=a]')).toBeNull();
    await click(button('Do not send o'));
    expect(draft.sendable).toBe('{}');
  });

  it('takes members that the schema does not name, by its rules for them', async () => {
    open(
      {},
      { additionalProperties: { type: 'integer' }, patternProperties: { '^t_': { type: 'boolean' } } },
    );
    type(button('Name of another member'), 'count');
    await click('.add .button');
    type('[data-field=count] input', '5');
    type(button('Name of another member'), 't_x');
    await click('.add .button');
    expect(form.querySelector('[data-field=t_x] [role=radiogroup]')).not.toBeNull();
    expect(draft.sendable).toBe('{"count":5,"t_x":false}');
    type(button('Name of another member'), 'count');
    expect(form.textContent).toContain('there already');
  });

  it('shows what the members that are there bring with them', () => {
    open(
      { kind: { enum: ['a', 'b'] }, card: { type: 'string' } },
      {
        if: { properties: { kind: { const: 'a' } }, required: ['kind'] },
        then: { properties: { extra: { type: 'integer' } }, required: ['extra'] },
        dependentRequired: { card: ['address'] },
        dependentSchemas: { card: { properties: { cvc: { type: 'string' } } } },
      },
    );
    const fields = (): (string | undefined)[] =>
      [...form.querySelectorAll<HTMLElement>('[data-field]')].map((each) => each.dataset['field']);
    expect(fields()).toEqual(['kind', 'card']);
    draft.setText('{"kind":"a","card":"1"}');
    flushSync();
    expect(fields()).toEqual(['kind', 'card', 'extra', 'cvc', 'address']);
    expect(find<HTMLElement>('[data-field=address]').textContent).toContain('required');
  });
});

describe('a union', () => {
  it('is chosen, and shows the fields of what was chosen', async () => {
    open({
      way: {
        oneOf: [
          {
            title: 'train',
            properties: { by: { const: 'train' }, seat: { type: 'string' } },
            required: ['by'],
          },
          {
            title: 'car',
            properties: { by: { const: 'car' }, doors: { type: 'integer' } },
            required: ['by'],
          },
          { type: 'null' },
        ],
      },
    });
    await click('[data-field=way] [data-segment="1"]');
    await click(button('Add way'));
    type('[data-field=doors] input', '3');
    expect(draft.sendable).toBe('{"way":{"by":"car","doors":3}}');
    await click('[data-field=way] [data-segment="0"]');
    expect(draft.sendable).toBe('{"way":{"by":"train"}}');
    await click('[data-field=way] [data-segment="1"]');
    expect(draft.sendable, 'and what was there comes back').toBe('{"way":{"by":"car","doors":3}}');
    await click('[title="Send null"]');
    expect(draft.sendable).toBe('{"way":null}');
  });
});

describe('a large form', () => {
  const many = (count: number, schema: unknown): Record<string, unknown> =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, schema]));
  const fields = (): number => form.querySelectorAll('[data-field]').length;
  const turn = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve));
    flushSync();
  };

  it('is drawn a few fields at a time, whatever holds them, and whole in the end', async () => {
    const inner = { type: 'object', properties: many(5, { type: 'string' }) };
    open(many(30, inner), {
      default: Object.fromEntries(Object.keys(many(30, 0)).map((name) => [name, {}])),
    });
    const drawn = [fields()];
    while (fields() < 180 && drawn.length < 100) {
      await turn();
      drawn.push(fields());
    }
    expect(drawn.at(-1)).toBe(180);
    const steps = drawn.map((count, at) => count - (drawn[at - 1] ?? 0));
    expect(Math.max(...steps), 'fields in one step').toBeLessThanOrEqual(8);
  });

  it('has its first fields a turn later where reading the schema took long', async () => {
    open({ ...many(3, { type: 'string' }), long: { enum: ['x'.repeat(60_000)] } });
    expect(fields()).toBe(0);
    await turn();
    expect(fields()).toBe(4);
  });

  it('draws all of what is wrong at once, for whoever is taken there', () => {
    open(many(30, { type: 'string' }));
    expect(fields()).toBe(8);
    draft.reveal();
    flushSync();
    expect(fields()).toBe(30);
  });

  it('shows what is wrong beyond what it shows at first', () => {
    open({ ...many(150, { type: 'string' }), l: { type: 'array', items: { type: 'integer' } } });
    draft.setText(`{"p120":1,"l":[${Array.from({ length: 80 }, () => '0').join(',')}]}`);
    const found = ['/p120', '/l', '/l/70'].map((place) => ({ place, message: 'is wrong' }));
    draft.tried = true;
    draft.judge(draft.sendable!, found, null);
    draft.pace.hurry();
    flushSync();
    const named = [...form.querySelectorAll<HTMLElement>('.fields > .members > [data-field]')];
    expect(named.slice(99).map((each) => each.dataset['field'])).toEqual(['p99', 'p120', 'l']);
    expect(form.textContent).toContain('49 more fields');
    expect([...form.querySelectorAll('li')].length, 'fifty items, and the one that is wrong').toBe(51);
    expect(form.textContent).toContain('29 more items');
  });

  it('makes no shape anew but those of what changed, when a key is pressed', () => {
    open({
      ...many(6, { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } } }),
      l: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
    });
    draft.setText('{"p1":{"a":"x","b":2},"p2":{"b":3},"l":["a",1,"b"]}');
    draft.pace.hurry();
    flushSync();
    const shape = vi.spyOn(draft, 'shape');
    const made = (): string[] => [...new Set(shape.mock.calls.map(([, path]) => path.join('/')))].sort();
    type('[data-field=p1] [data-field=a] textarea', 'xy');
    expect(made(), 'the field and what holds it').toEqual(['', 'p1', 'p1/a']);
    shape.mockClear();
    type('[data-field=l] li:last-child textarea', 'bc');
    expect(made()).toEqual(['', 'l', 'l/2']);
  });
});
