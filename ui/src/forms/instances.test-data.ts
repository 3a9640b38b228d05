import { member, stringOf, type JsonNode } from '../json/read';
import { compact } from '../json/write';
import { formatExamples } from './format';

/** Arguments for a schema, as JSON text: made by chance, and the same ones for the same seed. */
export class Instances {
  constructor(
    private readonly root: JsonNode,
    private seed: number,
  ) {}

  /** Of optional members the first ones have none, then all, each alone and all but each; the others by chance. */
  fitting(turn: number): string {
    return this.value([this.root], 0, turn);
  }

  /** An object with what the schema names, something else besides, and values of any kind. */
  misfit(): string {
    const names = namesIn(this.described([this.root])).filter(() => this.below(5) > 0);
    return objectOf([...names, this.pick(oddNames)].map((name) => entry(name, this.pick(anything))));
  }

  private value(schemas: readonly JsonNode[], depth: number, turn = Infinity): string {
    const all = this.described(schemas);
    const fixed = all('const')[0] ?? this.pick(itemsOf(all('enum')[0]));
    if (fixed !== undefined) return compact(fixed);
    const offered = this.pick([...all('default'), ...all('examples').flatMap(itemsOf)]);
    if (depth > 0 && offered !== undefined && this.below(4) === 0) return compact(offered);
    switch (this.pick(typesIn(all))) {
      case 'object':
        return this.object(all, depth, turn);
      case 'array':
        return this.array(all, depth);
      case 'string':
        return this.text(all);
      case 'number':
        return this.pick(numbersFor(all)) ?? '0';
      case 'integer':
        return this.pick(numbersFor(all).filter((each) => Number.isInteger(Number(each)))) ?? '0';
      case 'boolean':
        return this.pick(['true', 'false']);
      case 'null':
        return 'null';
      default:
        return this.pick(anything);
    }
  }

  private object(all: All, depth: number, turn: number): string {
    const names = namesIn(all);
    const required = new Set(all('required').flatMap(itemsOf).map(stringOf));
    const optional = names.filter((name) => !required.has(name));
    const isThere = (at: number): boolean => {
      if (turn < 2 || depth > deepest) return turn === 1;
      if (turn < 2 + optional.length) return at === turn - 2;
      return turn < 2 + 2 * optional.length ? at !== turn - 2 - optional.length : this.below(2) === 0;
    };
    const members = names
      .filter((name) => required.has(name) || isThere(optional.indexOf(name)))
      .map((name) => {
        const schemas = all('properties').flatMap((each) => member(each, name) ?? []);
        return entry(name, this.value(schemas, depth + 1));
      });
    const others = [...all('additionalProperties'), ...all('unevaluatedProperties')];
    if (!others.some((each) => compact(each) === 'false') && this.below(5) === 0)
      members.push(entry(this.pick(oddNames), this.value(others, depth + 1)));
    return objectOf(this.below(3) === 0 ? members.toReversed() : members);
  }

  private array(all: All, depth: number): string {
    const wanted = depth > deepest ? 0 : this.below(4);
    const length = Math.min(highest(all, 'maxItems'), Math.max(lowest(all, 'minItems'), wanted));
    const items = Array.from({ length }, (_, at) => {
      const own = [...all('prefixItems'), ...all('items')].flatMap((each) => itemsOf(each)[at] ?? []);
      const rest = all('items').filter((each) => each.kind !== 'array');
      return this.value(own.length > 0 ? own : rest, depth + 1);
    });
    return `[${(all('uniqueItems').length > 0 ? [...new Set(items)] : items).join(',')}]`;
  }

  private text(all: All): string {
    const usual = formatExamples[stringOf(all('format')[0]) ?? ''];
    if (usual !== undefined && this.below(4) > 0) return JSON.stringify(usual);
    const [least, most] = [Math.max(0, lowest(all, 'minLength')), highest(all, 'maxLength')];
    const patterns = all('pattern').map((each) => new RegExp(stringOf(each) ?? '', 'u'));
    const fitting = [...texts, `"${'x'.repeat(least)}"`].filter((each) => {
      const value = JSON.parse(each) as string;
      const length = [...value].length;
      return length >= least && length <= most && patterns.every((pattern) => pattern.test(value));
    });
    return this.pick(fitting) ?? `"${'x'.repeat(least)}"`;
  }

  /** What all schemas that are to hold say; of variants it is one. References are followed here without the form. */
  private described(schemas: readonly JsonNode[]): All {
    const waiting = [...schemas];
    for (let at = 0; at < Math.min(waiting.length, 50); at += 1) {
      const all: All = (keyword) => itemsOrNone(member(waiting[at], keyword));
      const steps = stringOf(all('$ref')[0])?.split('/').slice(1);
      const referred = steps?.reduce<JsonNode | undefined>((node, step) => member(node, step), this.root);
      const variants = ['anyOf', 'oneOf'].map((keyword) => this.pick(all(keyword).flatMap(itemsOf)));
      for (const next of [referred, ...all('allOf').flatMap(itemsOf), ...variants])
        if (next !== undefined) waiting.push(next);
    }
    return (keyword) => waiting.flatMap((each) => member(each, keyword) ?? []);
  }

  private pick<T>(from: readonly [T, ...T[]]): T;
  private pick<T>(from: readonly T[]): T | undefined;
  private pick<T>(from: readonly T[]): T | undefined {
    return from[this.below(from.length)];
  }

  private below(end: number): number {
    this.seed = (Math.imul(this.seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.seed / 2 ** 32) * end);
  }
}

/** What the schemas say by one keyword. */
type All = (keyword: string) => JsonNode[];

/** How deep optional parts go: a schema may contain itself. */
const deepest = 4;
const oddNames = ['further', '', 'a/b~c', '__proto__', 'not in the schema: ä "€"'] as const;
const numbers = '0 -0 1 -7 42 1.0 0.10 -1.50 2e2 1E-7 5.5 100 9007199254740993 12345678901234567890.5'.split(
  ' ',
);
const texts = [
  ...['', 'a', 'abc', '42', 'true', 'null', '{"a":1}', ' in spaces ', 'lines\n\n\tand a "quote" \\ <b>&amp;'],
  ...['ä € 😀 ‮', 'Europe/Berlin', 'x'.repeat(300)],
].map((each) => JSON.stringify(each));
const anything = [
  ...(['null', 'true', '0', '-1.50', '12345678901234567890', '""', '"text"', '"\\u00e9\\/"'] as const),
  ...(['[]', '[1.0,"a",null]', '{}', '{"a":{"b":[1e3,{}]}}', '{"two":1,"two":2}'] as const),
  `${'['.repeat(14)}${']'.repeat(14)}`,
] as const;

const entry = (name: string, value: string): string => `${JSON.stringify(name)}:${value}`;
const objectOf = (members: readonly string[]): string => `{${members.join(',')}}`;
const itemsOrNone = (node: JsonNode | undefined): JsonNode[] => (node === undefined ? [] : [node]);

export function itemsOf(node: JsonNode | undefined): JsonNode[] {
  return node?.kind === 'array' ? node.items : [];
}

function namesIn(all: All): string[] {
  const described = all('properties').flatMap((each) => (each.kind === 'object' ? each.members : []));
  const required = all('required').flatMap(itemsOf);
  return [
    ...new Set([...described.map((each) => each.key), ...required.flatMap((each) => stringOf(each) ?? [])]),
  ];
}

/** The types that all agree on, or the one that the keywords speak of. */
function typesIn(all: All): string[] {
  const said = all('type').map((each) => [each, ...itemsOf(each)].flatMap((name) => stringOf(name) ?? []));
  const spoken = (...keywords: string[]): boolean => keywords.some((keyword) => all(keyword).length > 0);
  if (said.length > 0) return said.reduce((one, other) => one.filter((type) => other.includes(type)));
  if (spoken('properties', 'required', 'additionalProperties')) return ['object'];
  return spoken('items', 'prefixItems') ? ['array'] : [];
}

/** Numbers within the limits, and those at them, in more than one way of writing. */
function numbersFor(all: All): string[] {
  const [least, most] = [lowest(all, 'minimum'), highest(all, 'maximum')];
  const [above, below] = [lowest(all, 'exclusiveMinimum'), highest(all, 'exclusiveMaximum')];
  const near = [least, most, (least + most) / 2, above + 1, below - 1].filter(Number.isFinite);
  return [...numbers, ...near.map(String)].filter((each) => {
    const value = Number(each);
    const divides = all('multipleOf').every((factor) => Number.isInteger(value / Number(compact(factor))));
    return value >= least && value <= most && value > above && value < below && divides;
  });
}

const lowest = (all: All, keyword: string): number => Math.max(-Infinity, ...all(keyword).map(toNumber));
const highest = (all: All, keyword: string): number => Math.min(Infinity, ...all(keyword).map(toNumber));
const toNumber = (node: JsonNode): number => Number(compact(node));
