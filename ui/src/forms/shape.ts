import { stringOf, type JsonNode } from '../json/read';
import { choicesOf, type Choice } from './choices';
import { compareNumbers, typeOf } from './fits';
import { gather, signature, type Choose, type Gathered } from './gather';
import { lookUp } from './look-up';
import type { Place, SchemaBook } from './schema';

/**
 * What a form knows of one value from all the schemas that apply to it: which controls it can have, its members and
 * items, and everything that is said about it. Total: whatever the schemas are, there is a shape.
 */
export function shapeOf(
  book: SchemaBook,
  places: readonly Place[],
  value: JsonNode | undefined,
  choose: Choose,
): Shape {
  const gathered = gather(book, places, value, choose);
  const known = knownShapes(book);
  const key = signature(book, gathered);
  const shape = known.get(key) ?? made(book, gathered);
  known.set(key, shape);
  return shape;
}

/**
 * The shapes that were made of a book. A value that changes has the same shape as before unless other schemas apply to
 * it now, so the fields around a keystroke find nothing changed; and the items of a list share one.
 */
function knownShapes(book: SchemaBook): Map<string, Shape> {
  const known = shapes.get(book);
  if (known !== undefined && known.size < mostKnown) return known;
  const none = new Map<string, Shape>();
  shapes.set(book, none);
  return none;
}

function made(book: SchemaBook, gathered: Gathered): Shape {
  const { facets } = gathered;
  const types = typesOf(facets);
  const choices = choicesOf(gathered);
  const listed = types === null ? hintedKinds(facets) : kindsOf(types);
  const any = types === null && listed.length === 0;
  const kinds = any ? everyKind : listed.filter((kind) => kind !== 'null' || listed.length === 1);
  // Most that could be objects are never opened.
  let members: ReadonlyMap<string, readonly Place[]> | null = null;
  let required: ReadonlySet<string> | null = null;
  return {
    gathered,
    kinds: gathered.never ? [] : choices !== null ? ['choice'] : kinds,
    preferred: gathered.never ? 'json' : choices !== null ? 'choice' : any ? 'json' : (kinds[0] ?? 'json'),
    untyped: types === null && choices === null && !gathered.never,
    any: any && choices === null,
    nullable: gathered.nullable || (types?.has('null') === true && listed.length > 1),
    integer: types !== null && types.has('integer') && !types.has('number'),
    choices,
    title: first(facets.slice(0, gathered.own), 'title'),
    description: first(facets.slice(0, gathered.own), 'description'),
    initial: facets.map((facet) => lookUp(facet.node, 'default')).find((each) => each !== undefined) ?? null,
    examples: examplesOf(facets),
    marks: marks.flatMap(([keyword, word]) =>
      facets.some((facet) => isTrue(lookUp(facet.node, keyword))) ? [word] : [],
    ),
    text: textOf(facets),
    limits: limitsOf(facets),
    get members() {
      return (members ??= describedMembers(book, facets));
    },
    get required() {
      return (required ??= requiredMembers(gathered));
    },
    unnamed: unnamedOf(facets),
    names: namesOf(facets),
    lengths: lengthsOf(facets),
    unique: facets.some((facet) => isTrue(lookUp(facet.node, 'uniqueItems'))),
    contains: facets.some((facet) => lookUp(facet.node, 'contains') !== undefined),
    typeWords: types === null ? [] : [...types],
  };
}

/** How a value can be entered without writing JSON. */
export type Kind = 'text' | 'number' | 'boolean' | 'null' | 'object' | 'array' | 'choice';

export type Shape = {
  gathered: Gathered;
  kinds: Kind[];
  preferred: Kind | 'json';
  /** Nothing is said of its type, so it may be any, whatever its keywords speak of. */
  untyped: boolean;
  /** Nor do they speak of any: a new value is JSON unless a person wants it otherwise. */
  any: boolean;
  nullable: boolean;
  integer: boolean;
  choices: Choice[] | null;
  title: string | null;
  description: string | null;
  initial: JsonNode | null;
  examples: JsonNode[];
  marks: string[];
  text: TextRules;
  limits: Limit[];
  /** The members that are described, each with all schemas that apply to it. */
  members: ReadonlyMap<string, readonly Place[]>;
  required: ReadonlySet<string>;
  /** Whether there may be members without a description, and whether the schema speaks of them. */
  unnamed: 'refused' | 'unsaid' | 'offered';
  /** What such a member can be called, where the schema lists it. */
  names: string[];
  lengths: Lengths;
  unique: boolean;
  contains: boolean;
  typeWords: string[];
};

export type TextRules = {
  format: string | null;
  patterns: string[];
  media: string | null;
  encoding: string | null;
};
export type LimitKeyword = 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'multipleOf';
export type Limit = { keyword: LimitKeyword; value: string };
/** The strictest of each, as it is written. */
export type Lengths = Partial<Record<LengthKeyword, string>>;
export type LengthKeyword = (typeof lengthKeywords)[number];

/** The schemas of a member that is not described by name: by its pattern, or as any other. */
export function memberPlaces(book: SchemaBook, shape: Shape, name: string): readonly Place[] {
  const described = shape.members.get(name);
  if (described !== undefined) return described;
  const places: Place[] = [];
  for (const facet of shape.gathered.facets) {
    const matching = patternsOf(facet.node)(name);
    for (const node of matching) places.push(book.enter(node, facet));
    const other = lookUp(facet.node, 'additionalProperties');
    if (matching.length === 0 && other !== undefined) places.push(book.enter(other, facet));
  }
  if (places.length > 0) return places;
  return shape.gathered.facets.flatMap((facet) => {
    const other = lookUp(facet.node, 'unevaluatedProperties');
    return other === undefined ? [] : [book.enter(other, facet)];
  });
}

/** The schemas of the item at a place. */
export function itemPlaces(book: SchemaBook, shape: Shape, index: number): readonly Place[] {
  const places: Place[] = [];
  for (const facet of shape.gathered.facets) {
    const items = lookUp(facet.node, 'items');
    const first = lookUp(facet.node, 'prefixItems') ?? (items?.kind === 'array' ? items : undefined);
    const listed = first?.kind === 'array' ? first.items : [];
    const rest = items?.kind === 'array' ? lookUp(facet.node, 'additionalItems') : items;
    const node = listed[index] ?? rest ?? lookUp(facet.node, 'unevaluatedItems');
    if (node !== undefined) places.push(book.enter(node, facet));
  }
  return places;
}

/** How many items have a schema of their own. */
export function listedItems(shape: Shape): number {
  return Math.max(
    0,
    ...shape.gathered.facets.map((facet) => {
      const items = lookUp(facet.node, 'items');
      const first = lookUp(facet.node, 'prefixItems') ?? items;
      return first?.kind === 'array' ? first.items.length : 0;
    }),
  );
}

const everyKind: Kind[] = ['text', 'number', 'boolean', 'null', 'object', 'array'];
const marks: [string, string][] = [
  ['deprecated', 'deprecated'],
  ['readOnly', 'read only'],
  ['writeOnly', 'write only'],
];
const limitKeywords: LimitKeyword[] = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
];
const lengthKeywords = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
] as const;
const kindByType: Record<string, Kind> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
  object: 'object',
  array: 'array',
};
const hints: [Kind, string[]][] = [
  [
    'object',
    [
      'properties',
      'required',
      'additionalProperties',
      'patternProperties',
      'propertyNames',
      'minProperties',
      'maxProperties',
      'unevaluatedProperties',
      'dependentRequired',
      'dependentSchemas',
      'dependencies',
    ],
  ],
  [
    'array',
    [
      'items',
      'prefixItems',
      'contains',
      'minItems',
      'maxItems',
      'uniqueItems',
      'unevaluatedItems',
      'additionalItems',
    ],
  ],
  ['text', ['pattern', 'minLength', 'maxLength', 'format', 'contentMediaType', 'contentEncoding']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];
const closing = ['additionalProperties', 'unevaluatedProperties'];
const mostExamples = 20;
const mostKnown = 1000;
const shapes = new WeakMap<SchemaBook, Map<string, Shape>>();
/** Described members beyond these are not also looked for among the patterns. */
const mostPatterned = 200;

/** The types that all schemas agree on; null where none says anything. */
function typesOf(facets: readonly Place[]): Set<string> | null {
  let agreed: Set<string> | null = null;
  for (const { node } of facets) {
    const type = lookUp(node, 'type');
    const own = new Set(type?.kind === 'string' ? [type.value] : strings(type));
    // The word of OpenAPI 3.0 for a type that may also be null.
    if (isTrue(lookUp(node, 'nullable')) && own.size > 0) own.add('null');
    if (own.size === 0) continue;
    agreed = agreed === null ? own : common(agreed, own);
  }
  return agreed;
}

function common(one: Set<string>, other: Set<string>): Set<string> {
  const both = new Set([...one].filter((type) => other.has(type)));
  if ((one.has('integer') && other.has('number')) || (one.has('number') && other.has('integer'))) {
    both.add('integer');
    both.delete('number');
  }
  return both;
}

function kindsOf(types: Set<string>): Kind[] {
  const kinds = [...types].flatMap((type) =>
    Object.hasOwn(kindByType, type) ? [kindByType[type] as Kind] : [],
  );
  return [...new Set(kinds)];
}

/** Without a type any value fits; the keywords tell which one is meant. */
function hintedKinds(facets: readonly Place[]): Kind[] {
  return hints.flatMap(([kind, keywords]) =>
    facets.some((facet) => keywords.some((keyword) => lookUp(facet.node, keyword) !== undefined))
      ? [kind]
      : [],
  );
}

function describedMembers(book: SchemaBook, facets: readonly Place[]): Map<string, Place[]> {
  const members = new Map<string, Place[]>();
  for (const facet of facets) {
    const properties = lookUp(facet.node, 'properties');
    if (properties?.kind !== 'object') continue;
    const patterned = patternsOf(facet.node);
    for (const { key, value } of properties.members) {
      const places = members.get(key) ?? [];
      places.push(book.enter(value, facet));
      if (members.size < mostPatterned)
        for (const node of patterned(key)) places.push(book.enter(node, facet));
      members.set(key, places);
    }
  }
  return members;
}

function requiredMembers({ facets, required }: Gathered): Set<string> {
  return new Set([...facets.flatMap((facet) => strings(lookUp(facet.node, 'required'))), ...required]);
}

/** What only a pattern allows counts as offered: the name decides. */
function unnamedOf(facets: readonly Place[]): Shape['unnamed'] {
  const patterns = facets.some(({ node }) => lookUp(node, 'patternProperties') !== undefined);
  const closed = facets.some(({ node }) => closing.some((keyword) => isFalse(lookUp(node, keyword))));
  if (closed && !patterns) return 'refused';
  const described = facets.some(({ node }) => lookUp(node, 'properties') !== undefined);
  const spoken = facets.some(({ node }) =>
    [...closing, 'propertyNames'].some((keyword) => lookUp(node, keyword) !== undefined),
  );
  return patterns || spoken || !described ? 'offered' : 'unsaid';
}

function namesOf(facets: readonly Place[]): string[] {
  return facets
    .flatMap((facet) => strings(lookUp(lookUp(facet.node, 'propertyNames'), 'enum')))
    .slice(0, 200);
}

/** The schemas that the patterns of a schema have for a name. */
function patternsOf(schema: JsonNode): (name: string) => JsonNode[] {
  const patterns = lookUp(schema, 'patternProperties');
  if (patterns?.kind !== 'object') return () => [];
  const told = patterns.members.slice(0, 50).map((each) => ({ node: each.value, pattern: quick(each.key) }));
  return (name) =>
    told.flatMap(({ node, pattern }) => (name.length <= 1000 && pattern?.test(name) === true ? [node] : []));
}

/** Nothing when it can't be told what matches: a pattern may be malformed, or slow on purpose. */
function quick(pattern: string): RegExp | null {
  // Nested repetition is how a pattern is made to hang; such a one is left to the core.
  if (pattern.length > 200 || /[*+}]\)?[*+{]|\([^)]*[*+|][^)]*\)[*+{]/.test(pattern)) return null;
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return null;
  }
}

function examplesOf(facets: readonly Place[]): JsonNode[] {
  const all = facets.flatMap(({ node }) => {
    const examples = lookUp(node, 'examples');
    const single = lookUp(node, 'example');
    return [...(examples?.kind === 'array' ? examples.items : []), ...(single === undefined ? [] : [single])];
  });
  return all.slice(0, mostExamples);
}

function textOf(facets: readonly Place[]): TextRules {
  return {
    format: first(facets, 'format'),
    patterns: facets.flatMap((facet) => stringOf(lookUp(facet.node, 'pattern')) ?? []).slice(0, 5),
    media: first(facets, 'contentMediaType'),
    encoding: first(facets, 'contentEncoding'),
  };
}

function limitsOf(facets: readonly Place[]): Limit[] {
  return limitKeywords.flatMap((keyword) => {
    const value = strictest(facets, keyword);
    return value === null ? [] : [{ keyword, value }];
  });
}

function lengthsOf(facets: readonly Place[]): Lengths {
  const lengths: Lengths = {};
  for (const keyword of lengthKeywords) {
    const value = strictest(facets, keyword);
    if (value !== null) lengths[keyword] = value;
  }
  return lengths;
}

function strictest(facets: readonly Place[], keyword: string): string | null {
  const most = /^max|Maximum/.test(keyword) ? -1 : 1;
  let found: string | null = null;
  for (const { node } of facets) {
    const value = lookUp(node, keyword);
    if (value?.kind === 'number' && (found === null || compareNumbers(value.text, found) * most > 0))
      found = value.text;
  }
  return found;
}

function first(facets: readonly Place[], keyword: string): string | null {
  for (const { node } of facets) {
    const value = stringOf(lookUp(node, keyword));
    if (value !== null) return value;
  }
  return null;
}

function strings(node: JsonNode | undefined): string[] {
  return node?.kind === 'array'
    ? node.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []))
    : [];
}

function isTrue(node: JsonNode | undefined): boolean {
  return node?.kind === 'literal' && node.text === 'true';
}

function isFalse(node: JsonNode | undefined): boolean {
  return node?.kind === 'literal' && node.text === 'false';
}

/** The kind of control that a value of this type has. */
export function kindOfValue(node: JsonNode): Kind | null {
  const type = typeOf(node);
  return type === null ? null : (kindByType[type] ?? null);
}
