import { stringOf, type JsonNode } from '../json/read';
import { fits, same, type Effort } from './fits';
import { lookUp } from './look-up';
import type { Place, SchemaBook } from './schema';
import { variantLabel } from './words';

/**
 * All schemas that apply to one value at once: through references, `allOf`, the branch of `if` that holds, the
 * members that are there, and of each `anyOf` and `oneOf` the variant that is chosen. Never more than a hundred, and
 * none twice, however the schema is made.
 */
export function gather(
  book: SchemaBook,
  places: readonly Place[],
  value: JsonNode | undefined,
  choose: Choose,
): Gathered {
  const gathering = new Gathering(book, value, choose);
  gathering.run(places);
  return gathering.result;
}

export type Gathered = {
  /** Schemas that are objects, those that stand further out first. */
  facets: Place[];
  /** How many of them apply whatever variant is chosen; what a variant is called is not what the value is called. */
  own: number;
  /** Nothing fits: a schema of `false` is among them. */
  never: boolean;
  nullable: boolean;
  pickers: Picker[];
  /** Lists of fixed values with words for each, from `oneOf` and `anyOf`. */
  titled: JsonNode[][];
  /** Members that are required because of others that are there. */
  required: Set<string>;
  notes: Set<string>;
};

/** The same text for what comes to the same shape. */
export function signature(book: SchemaBook, gathered: Gathered): string {
  const { facets, own, never, nullable, pickers, required, notes } = gathered;
  return JSON.stringify([
    facets.map(({ node, resource, scope }) =>
      [node, ...[resource, ...scope].map((each) => each.node)].map((each) => book.numberOf(each)),
    ),
    own,
    never,
    nullable,
    pickers.map(({ id, chosen }) => [id, chosen]),
    [...required],
    [...notes],
  ]);
}

/** A choice between variants. */
export type Picker = {
  /** What a person's choice is remembered by, together with the place in the value. */
  id: string;
  keyword: 'anyOf' | 'oneOf';
  variants: Variant[];
  /** How many there are, shown or not. */
  total: number;
  chosen: number;
};

export type Variant = { label: string; about: string | null; place: Place };

/** The variant that a person chose, or null to go by the value. */
export type Choose = (id: string) => number | null;

const mostFacets = 100;
const mostVariants = 100;
/** Variants of all unions that apply to one value: there are fields for as many. */
const mostListed = 120;
/** Variants that are looked into in order to find the one that fits. */
const mostTried = 30;

class Gathering {
  readonly result: Gathered = {
    facets: [],
    own: 0,
    never: false,
    nullable: false,
    pickers: [],
    titled: [],
    required: new Set(),
    notes: new Set(),
  };
  private readonly seen = new Set<JsonNode>();
  private waiting: Place[] = [];
  /** Variants that were chosen: they come after all that applies anyway. */
  private readonly picked: Place[] = [];
  private readonly effort: Effort = { steps: 0 };
  /** Variants so far, of all unions. */
  private listed = 0;

  constructor(
    private readonly book: SchemaBook,
    private readonly value: JsonNode | undefined,
    private readonly choose: Choose,
  ) {}

  run(places: readonly Place[]): void {
    this.waiting = [...places];
    this.settle();
    this.result.own = this.result.facets.length;
    while (this.picked.length > 0) {
      this.waiting = this.picked.splice(0);
      this.settle();
    }
  }

  private settle(): void {
    for (let place = this.waiting.shift(); place !== undefined; place = this.waiting.shift()) {
      if (place.node.kind === 'literal' && place.node.text === 'false') this.result.never = true;
      if (place.node.kind !== 'object' || this.seen.has(place.node)) continue;
      if (this.seen.size >= mostFacets) {
        this.result.notes.add(`more than ${mostFacets} schemas apply here; the form goes by the first`);
        return;
      }
      this.seen.add(place.node);
      this.result.facets.push(place);
      this.expand(place);
    }
  }

  private expand(place: Place): void {
    const { node } = place;
    if (node.kind !== 'object') return;
    for (const { key, value } of node.members) {
      switch (key) {
        case '$ref':
        case '$dynamicRef':
        case '$recursiveRef':
          this.refer(place, key, value);
          break;
        case 'allOf':
          if (value.kind === 'array')
            for (const item of value.items.slice(0, mostFacets)) this.apply(place, item);
          break;
        case 'if': {
          const holds = this.fits(this.book.enter(value, place), this.value);
          if (holds !== null) this.apply(place, lookUp(node, holds ? 'then' : 'else'));
          else if (this.value !== undefined)
            this.result.notes.add('`if` can’t be decided here; the call checks it');
          break;
        }
        case 'dependentSchemas':
        case 'dependencies':
        case 'dependentRequired':
          this.depend(place, value);
          break;
        case 'anyOf':
        case 'oneOf':
          if (value.kind === 'array' && value.items.length > 0) this.vary(place, key, value.items);
          break;
        case 'not':
          this.result.notes.add(`excludes what \`not\` describes`);
          break;
      }
    }
  }

  private apply(from: Place, node: JsonNode | undefined): void {
    if (node !== undefined) this.waiting.push(this.book.enter(node, from));
  }

  private refer(place: Place, key: string, value: JsonNode): void {
    if (value.kind !== 'string') return;
    const target =
      key === '$ref' ? this.book.refer(place, value.value) : this.book.referDynamically(place, value.value);
    if (target !== null) this.waiting.push(target);
    else
      this.result.notes.add(`\`${value.value.slice(0, 200)}\` is not in this schema, and nothing is fetched`);
  }

  private depend(place: Place, value: JsonNode): void {
    if (value.kind !== 'object' || this.value?.kind !== 'object') return;
    const there = new Set(this.value.members.map((each) => each.key));
    for (const each of value.members) {
      if (!there.has(each.key)) continue;
      if (each.value.kind === 'array') {
        for (const name of each.value.items) if (name.kind === 'string') this.result.required.add(name.value);
      } else this.apply(place, each.value);
    }
  }

  private vary(place: Place, keyword: 'anyOf' | 'oneOf', items: JsonNode[]): void {
    const few = items.slice(0, mostVariants);
    if (few.every((item) => fixedOf(item) !== undefined)) {
      this.result.titled.push(items);
      return;
    }
    this.listed += few.length;
    if (this.listed > mostListed) {
      this.result.notes.add(`more than ${mostListed} variants apply here; the form goes by the first`);
      return;
    }
    const all = few.map((item) => this.book.enter(item, place));
    const variants = all.filter((each) => !isNull(each.node));
    if (variants.length < all.length) this.result.nullable = true;
    if (this.value?.kind === 'literal' && this.value.text === 'null' && this.result.nullable) return;
    const [only] = variants;
    if (only === undefined) return;
    if (variants.length === 1) {
      this.waiting.push(only);
      return;
    }
    const id = `${this.book.numberOf(place.node)}.${keyword}`;
    const chosen = Math.min(this.choose(id) ?? this.meant(variants), variants.length - 1);
    this.result.pickers.push({
      id,
      keyword,
      variants: variants.map((each, at) => ({
        label: variantLabel(this.book, each, at),
        about: stringOf(lookUp(each.node, 'description')),
        place: each,
      })),
      total: items.length - (all.length - variants.length),
      chosen,
    });
    const picked = variants[chosen];
    if (picked !== undefined) this.picked.push(picked);
  }

  private fits(place: Place, value: JsonNode | undefined): boolean | null {
    return fits(this.book, place, value, this.effort);
  }

  /** The variant that the value fits, or might. */
  private meant(variants: Place[]): number {
    if (this.value === undefined) return 0;
    let maybe = -1;
    for (const [at, variant] of variants.slice(0, mostTried).entries()) {
      const verdict = this.fits(variant, this.value);
      if (verdict === true) return at;
      if (verdict === null && maybe === -1) maybe = at;
    }
    return maybe === -1 ? this.likeliest(variants) : maybe;
  }

  /** None fits yet: the one whose fixed members are as they are in the value, or that has most of its members. */
  private likeliest(variants: Place[]): number {
    const { value } = this;
    if (value?.kind !== 'object') return 0;
    let best = 0;
    let most = -1;
    for (const [at, variant] of variants.slice(0, mostTried).entries()) {
      const properties = lookUp(followed(this.book, variant).node, 'properties');
      if (properties?.kind !== 'object') continue;
      let score = 0;
      for (const each of properties.members.slice(0, 200)) {
        const given = lookUp(value, each.key);
        if (given === undefined) continue;
        const fixed = fixedOf(each.value);
        if (fixed !== undefined) score += same(fixed, given) ? 100 : -100;
        else if (this.fits(this.book.enter(each.value, variant), given) !== false) score += 1;
      }
      if (score > most) [best, most] = [at, score];
    }
    return best;
  }
}

/** A schema that is nothing but a reference, as what it refers to; a few steps far. */
export function followed(book: SchemaBook, place: Place): Place {
  let at = place;
  for (let steps = 0; steps < 8; steps += 1) {
    const reference = stringOf(lookUp(at.node, '$ref'));
    const target = reference === null ? null : book.refer(at, reference);
    if (target === null) return at;
    at = target;
  }
  return at;
}

/** The one value that a schema allows, where it says so and hardly more. */
export function fixedOf(node: JsonNode): JsonNode | undefined {
  const fixed = lookUp(node, 'const');
  if (fixed !== undefined) return fixed;
  const choices = lookUp(node, 'enum');
  return choices?.kind === 'array' && choices.items.length === 1 ? choices.items[0] : undefined;
}

function isNull(node: JsonNode): boolean {
  if (stringOf(lookUp(node, 'type')) === 'null') return true;
  const fixed = fixedOf(node);
  return fixed?.kind === 'literal' && fixed.text === 'null';
}
