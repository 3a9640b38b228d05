import { flushSync, mount, unmount } from 'svelte';
import { describe, expect, it } from 'vitest';
import { member, readJson, stringOf, type JsonNode } from '../json/read';
import { compact } from '../json/write';
import { controlOf } from './control';
import { Draft } from './draft.svelte';
import { fits, same } from './fits';
import { Instances, itemsOf } from './instances.test-data';
import SchemaForm from './SchemaForm.svelte';
import type { Place } from './schema';
import { itemPlaces, memberPlaces } from './shape';
import { emptyArray, emptyObject, nothing, text, typedValue, type Path } from './value';

/** The tools of servers that others wrote, as these servers listed them; `make peers` writes them down. */
const toolsText: string | undefined = Object.values(
  import.meta.glob<string>('../../../target/peers/tools.json', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
)[0];

const perTool = 50;
const misfitsPerTool = 8;
/** Drawing takes far longer than all else. */
const drawEvery = 6;
/** Of what is made: two members of one name, and what is deeper than fields go. */
const needsJson = /"two":2|\[{14}/;

/** What the foreign tools of today do not have, so that the generator and the form are tried with it as well. */
const everything = `{"type":"object","required":["kind","list"],"$defs":{"node":{"type":"object","required":["id"],
  "additionalProperties":false,"properties":{"id":{"type":"integer","minimum":1},"next":{"$ref":"#/$defs/node"}}}},
  "properties":{"kind":{"const":"a"},"list":{"type":"array","items":{"$ref":"#/$defs/node"},"maxItems":3},
  "either":{"oneOf":[{"type":"object","properties":{"by":{"const":"name"},"name":{"type":"string","minLength":2}},
  "required":["by","name"]},{"type":"object","properties":{"by":{"const":"number"},"number":{"type":"number",
  "exclusiveMinimum":0,"maximum":10,"multipleOf":0.5}},"required":["by"]}]},"size":{"anyOf":[{"type":"integer"},
  {"type":"null"}],"default":null},"level":{"enum":[1,2.50,"three",null]},"titled":{"oneOf":[{"const":"x","title":"X"},
  {"const":"y"}]},"when":{"type":"string","format":"date-time"},"mail":{"type":"string","format":"email","examples":[
  "a@b.c"]},"map":{"type":"object","additionalProperties":{"type":"integer"}},"both":{"allOf":[{"type":"object",
  "properties":{"p":{"type":"boolean"}}},{"required":["q"],"properties":{"q":{"type":["string","null"]}}}]},
  "pair":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"minItems":2,"maxItems":2},
  "tags":{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^[a-z]+$"}},"any":{}}}`;

type Tool = { server: string | null; name: string; schema: string };

const foreign: Tool[] = itemsOf(readJson(toolsText ?? '[]').value).map((each) => {
  const tool = member(each, 'tool');
  const schema = member(tool, 'inputSchema');
  const server = stringOf(member(each, 'server'));
  const name = `${server}: ${stringOf(member(tool, 'name'))}`;
  return { server, name, schema: schema === undefined ? 'none' : compact(schema) };
});

/** Enters a value field by field. `begin` is what happens to an object or a list before its parts are entered. */
class Hand {
  fields = 0;
  asJson = 0;

  constructor(
    private readonly draft: Draft,
    private readonly begin: (path: Path, part: JsonNode) => void,
  ) {}

  enter(places: readonly Place[], path: Path, value: JsonNode): void {
    const { draft } = this;
    const shape = draft.shape(places, path, value)!;
    const { kind } = controlOf(shape, value, null, path.length);
    this.fields += 1;
    if (kind === 'json') this.asJson += 1;
    if (kind === 'object') {
      this.begin(path, emptyObject);
      for (const each of value.kind === 'object' ? value.members : [])
        this.enter(memberPlaces(draft.book!, shape, each.key), [...path, each.key], each.value);
    } else if (kind === 'array') {
      this.begin(path, emptyArray);
      itemsOf(value).forEach((item, at) => {
        this.begin([...path, at], nothing);
        this.enter(itemPlaces(draft.book!, shape, at), [...path, at], item);
      });
    } else if (kind === 'text') draft.change(path, text(stringOf(value) ?? 'no text'));
    else if (kind === 'number' || kind === 'json') draft.change(path, typedValue(compact(value), kind));
    else if (kind === 'choice')
      draft.change(path, shape.choices!.find((choice) => same(choice.node, value))!.node);
    else draft.change(path, value);
  }
}

/** Sets every control that is drawn to what it shows; gives their number. `check` is called after each. */
function setAgain(form: HTMLElement, check: (field: string) => void): number {
  const shown = form.querySelectorAll<HTMLInputElement>('input, textarea, select, [aria-checked=true]');
  const controls = [...shown].filter((control) => {
    // Nobody can empty what is empty: an empty text that is sent stays until it is taken away.
    const sent = control.closest('.field')?.querySelector(':scope > .head [title="Do not send this"]');
    return control.matches('button, select') || control.value !== '' || !sent;
  });
  for (const control of controls) {
    if (control.matches('button')) control.click();
    else control.dispatchEvent(new Event(control.matches('select') ? 'change' : 'input', { bubbles: true }));
    check(control.closest<HTMLElement>('.field')?.dataset['field'] ?? '');
  }
  return controls.length;
}

/** What a value says, however its texts are escaped; numbers as they are written, members in their order. */
const meaning = (node: JsonNode): string =>
  node.kind === 'string'
    ? JSON.stringify(node.value)
    : node.kind === 'array'
      ? `[${node.items.map(meaning).join(',')}]`
      : node.kind === 'object'
        ? `{${node.members.map((each) => `${JSON.stringify(each.key)}:${meaning(each.value)}`).join(',')}}`
        : compact(node);

/** Puts a value into a form as text, sets every field to what it is, then enters it from nothing. */
function enteredBoth(draft: Draft, given: string, said: string): Hand {
  const places = [draft.book!.root];
  const { value } = readJson(given);
  const is = (how: string): void => {
    expect(meaning(draft.root), `${said}: ${how}`).toBe(meaning(value));
    expect(meaning(readJson(draft.text).value), `${said}: ${how}, in JSON mode`).toBe(meaning(value));
  };
  draft.setText(given);
  expect([draft.text, draft.sendable], `${said}: put in and not touched`).toEqual([given, given]);
  new Hand(draft, () => undefined).enter(places, [], value);
  is('every field set to what it shows');
  draft.setText('{}');
  const hand = new Hand(draft, (path, part) => draft.change(path, part));
  hand.enter(places, [], value);
  is('entered field by field');
  return hand;
}

/** Holds the forms of some tools to the instances made for them; gives how much there was to hold them to. */
function roundTrips(tools: readonly Tool[]) {
  const count = { tools: 0, instances: 0, misfits: 0, fields: 0, drawn: 0, controls: 0 };
  const target = document.body.appendChild(document.createElement('div'));
  for (const { name, schema } of tools) {
    const [draft, shown] = [new Draft(schema), new Draft(schema)];
    expect(draft.whole, `${name}: there are fields`).toBeNull();
    const { root } = draft.book!;
    const form = mount(SchemaForm, { target, props: { draft: shown } });
    const drawn = new Set<string>();
    const draw = (given: string): void => {
      drawn.add(given);
      shown.pace.hurry();
      flushSync();
      const said = meaning(readJson(given).value);
      count.controls += setAgain(target, (field) =>
        expect(meaning(shown.root), `${name}: ${given} after ${field} was set again`).toBe(said),
      );
    };
    draw(shown.sendable!);
    const instances = new Instances(root.node, 7 + count.tools);
    for (let turn = 0; turn < perTool; turn += 1) {
      const meant = turn < perTool - misfitsPerTool;
      const given = meant ? instances.fitting(turn) : instances.misfit();
      const said = `${name}: ${given}`;
      const verdict = fits(draft.book!, root, readJson(given).value);
      const hand = enteredBoth(draft, given, said);
      if (meant) {
        expect(verdict, `${said} is to fit; if it does not, teach the generator`).not.toBe(false);
        if (!needsJson.test(given)) expect(hand.asJson, `${said} needs no JSON`).toBe(0);
      } else if (verdict === false) count.misfits += 1;
      count.fields += hand.fields;
      count.instances += 1;
      if (turn % drawEvery !== 1 || drawn.has(given)) continue;
      shown.setText(given);
      draw(given);
    }
    void unmount(form);
    count.tools += 1;
    count.drawn += drawn.size;
  }
  target.remove();
  return count;
}

describe('a form', () => {
  it('of a schema with all that the generator knows gives every instance back', () => {
    const count = roundTrips([{ server: null, name: 'own', schema: everything }]);
    expect(count.misfits, 'some do not fit').toBeGreaterThan(0);
    console.info(`own schema: ${JSON.stringify(count)}`);
  });

  if (toolsText === undefined) {
    it('of a foreign tool is not tried, for none is there: `make peers` asks the foreign servers for them', () => {
      expect(foreign).toEqual([]);
    });
    return;
  }

  it('of every foreign tool gives every instance back', () => {
    const count = roundTrips(foreign);
    expect(new Set(foreign.map(({ server }) => server)).size, 'servers').toBeGreaterThanOrEqual(5);
    expect(count.tools, 'tools of them').toBeGreaterThan(20);
    expect(count.instances, 'each with all of its instances').toBe(count.tools * perTool);
    expect(count.misfits, 'some of them do not fit').toBeGreaterThan(count.tools);
    console.info(`foreign tools: ${JSON.stringify(count)}`);
  });
});
