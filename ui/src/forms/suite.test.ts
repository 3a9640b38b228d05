import { flushSync, mount, unmount } from 'svelte';
import { describe, expect, it } from 'vitest';
import { member, readJson, stringOf, type JsonNode } from '../json/read';
import { compact } from '../json/write';
import { controlOf } from './control';
import { Draft } from './draft.svelte';
import SchemaForm from './SchemaForm.svelte';
import type { Place } from './schema';
import { itemPlaces, memberPlaces } from './shape';
import { emptyArray, emptyObject, text, typedValue, type Path } from './value';

/** The official suite of JSON Schema 2020-12, the same that the core's validator is held to; `make setup` installs it. */
const suiteText: string | undefined = Object.values(
  import.meta.glob<string>('../../../target/json-schema/2020-12.json', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
)[0];

type Group = { name: string; schema: string; tests: { data: JsonNode; valid: boolean }[] };

function itemsOf(node: JsonNode | undefined): JsonNode[] {
  return node?.kind === 'array' ? node.items : [];
}

const groups: Group[] = (() => {
  if (suiteText === undefined) return [];
  const files = member(readJson(suiteText).value, 'tests');
  if (files?.kind !== 'object') throw new Error('the suite is not as it was installed');
  return files.members.flatMap(({ key, value }) =>
    itemsOf(value).map((group) => ({
      name: `${key}: ${stringOf(member(group, 'description'))}`,
      schema: compact(member(group, 'schema')!),
      tests: itemsOf(member(group, 'tests')).map((test) => ({
        data: member(test, 'data')!,
        valid: compact(member(test, 'valid')!) === 'true',
      })),
    })),
  );
})();

/** Enters a value field by field, as a person would, and says how many of its parts were entered as JSON. */
class Typist {
  asJson = 0;
  fields = 0;

  constructor(private readonly draft: Draft) {}

  enter(places: readonly Place[], path: Path, value: JsonNode): void {
    this.fields += 1;
    const shape = this.draft.shape(places, path, value)!;
    const control = controlOf(shape, value, null, path.length);
    switch (control.kind) {
      case 'object': {
        this.draft.change(path, emptyObject);
        const { book } = this.draft;
        for (const each of value.kind === 'object' ? value.members : []) {
          const inner = memberPlaces(book!, this.draft.shape(places, path, value)!, each.key);
          this.enter(inner, [...path, each.key], each.value);
        }
        break;
      }
      case 'array': {
        this.draft.change(path, emptyArray);
        itemsOf(value).forEach((item, at) => {
          this.draft.change([...path, at], { kind: 'literal', text: 'null' });
          this.enter(itemPlaces(this.draft.book!, shape, at), [...path, at], item);
        });
        break;
      }
      case 'text':
        this.draft.change(path, text(value.kind === 'string' ? value.value : 'no text'));
        break;
      case 'number':
        this.draft.change(path, typedValue(compact(value), 'number'));
        break;
      case 'choice': {
        const choice = shape.choices!.find((each) => compact(each.node) === compact(value));
        // A number can be written in several ways, and an object in several orders; the list has one of them.
        this.draft.change(path, choice?.node ?? value);
        break;
      }
      case 'json':
        this.asJson += 1;
        this.draft.change(path, typedValue(compact(value), 'json'));
        break;
      default:
        this.draft.change(path, value);
    }
  }
}

/** What a value says, however its texts are escaped. */
const meaning = (node: JsonNode): string =>
  node.kind === 'string'
    ? JSON.stringify(node.value)
    : node.kind === 'array'
      ? `[${node.items.map(meaning).join(',')}]`
      : node.kind === 'object'
        ? `{${node.members.map((each) => `${JSON.stringify(each.key)}:${meaning(each.value)}`).join(',')}}`
        : compact(node);

describe('the official suite of JSON Schema 2020-12', () => {
  if (suiteText === undefined) {
    it('is not installed, so nothing is tested with it: `make setup` does that', () => {
      expect(groups).toEqual([]);
    });
    return;
  }

  it('gives a form for every schema, and every instance comes back from it as it was', () => {
    const count = { instances: 0, valid: 0, byFields: 0, withJson: 0, fields: 0, parts: 0 };
    for (const { name, schema, tests } of groups) {
      const draft = new Draft(schema);
      expect(draft.whole, name).toBeNull();
      for (const { data, valid } of tests) {
        count.instances += 1;
        draft.setText(compact(data));
        expect(compact(draft.root), `${name}: shown and not touched`).toBe(compact(data));
        if (!valid) continue;
        count.valid += 1;
        const typist = new Typist(draft);
        draft.setText('{}');
        typist.enter([draft.book!.root], [], data);
        expect(meaning(draft.root), `${name}: entered again, field by field`).toBe(meaning(data));
        expect(readJson(draft.text).problem, `${name}: JSON mode shows it too`).toBeNull();
        expect(meaning(readJson(draft.text).value), name).toBe(meaning(data));
        count.fields += typist.fields;
        count.parts += typist.asJson;
        if (typist.asJson === 0) count.byFields += 1;
        else count.withJson += 1;
      }
    }
    expect(groups.length, 'all of the suite is there').toBeGreaterThan(400);
    expect(count.byFields, 'most of what is valid needs no JSON').toBeGreaterThan(count.valid / 2);
    console.info(
      `${groups.length} schemas gave a form; ${count.instances} instances came back as they were; of ${count.valid} ` +
        `valid ones ${count.byFields} were entered by fields alone and ${count.withJson} with ${count.parts} parts ` +
        `as JSON, ${count.fields} fields in all`,
    );
  });

  it('draws every form, empty and with every instance, without an exception', () => {
    const target = document.body.appendChild(document.createElement('div'));
    let drawn = 0;
    let most = 0;
    for (const { name, schema, tests } of groups) {
      const draft = new Draft(schema);
      const form = mount(SchemaForm, { target, props: { draft } });
      flushSync();
      for (const { data } of tests) {
        draft.setText(compact(data));
        draft.pace.hurry();
        flushSync();
        drawn += 1;
        const nodes = target.querySelectorAll('*').length;
        most = Math.max(most, nodes);
        expect(nodes, name).toBeGreaterThan(0);
      }
      void unmount(form);
    }
    target.remove();
    expect(most, 'none of them is large').toBeLessThan(5000);
    console.info(`${groups.length} forms drawn with ${drawn} instances, at most ${most} elements in one`);
  });
});
