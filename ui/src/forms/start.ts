import { readJson, type JsonNode } from '../json/read';
import type { SchemaBook, Place } from './schema';
import { itemPlaces, listedItems, memberPlaces, shapeOf, type Kind, type Shape } from './shape';
import { emptyArray, emptyObject, nothing, text } from './value';

/**
 * The value that a required part begins with: its default, its only choice, or an object with what is required in it.
 * Nothing where a person has to decide. Bounded: a schema that requires itself gets a few levels and no more.
 */
export function startOf(book: SchemaBook, places: readonly Place[], seed: Seed = {}): JsonNode | undefined {
  return new Start(book).of(places, 0, seed);
}

/** What a part that a person adds begins with: it is there, so it has a value. */
export function addedValue(book: SchemaBook, places: readonly Place[], seed: Seed = {}): JsonNode {
  return new Start(book).added(places, 0, seed);
}

/** The variant or the kind that a person chose for the part that begins. */
export type Seed = { chosen?: ReadonlyMap<string, number>; kind?: Kind };

const mostLevels = 4;
const mostParts = 100;
const mostItems = 20;
/** Members that are looked through for those that are required; a schema can describe the same thousands again and again. */
const mostSearched = 15_000;

class Start {
  private parts = 0;
  private searched = 0;

  constructor(private readonly book: SchemaBook) {}

  of(places: readonly Place[], depth: number, seed: Seed): JsonNode | undefined {
    const shape = this.shape(places, seed);
    if (shape.initial !== null) return shape.initial;
    const [only, second] = shape.choices ?? [];
    if (only !== undefined && second === undefined) return only.node;
    const kind = seed.kind ?? shape.preferred;
    if (kind === 'null') return nothing;
    if (kind === 'object') return this.object(shape, depth);
    return undefined;
  }

  added(places: readonly Place[], depth: number, seed: Seed): JsonNode {
    const given = seed.kind === undefined ? this.of(places, depth, seed) : undefined;
    if (given !== undefined) return given;
    const shape = this.shape(places, seed);
    const kind = seed.kind ?? (shape.preferred === 'json' ? 'text' : shape.preferred);
    switch (kind) {
      case 'object':
        return this.object(shape, depth) ?? emptyObject;
      case 'array':
        return this.array(shape, depth);
      case 'choice':
        return shape.choices?.[0]?.node ?? nothing;
      case 'number':
        return { kind: 'number', text: leastNumber(shape) };
      case 'boolean':
        return { kind: 'literal', text: 'false' };
      case 'null':
        return nothing;
      case 'text':
        return text('');
    }
  }

  private object(shape: Shape, depth: number): JsonNode | undefined {
    if (depth >= mostLevels || this.searched > mostSearched) return undefined;
    let object = emptyObject;
    if (shape.required.size === 0) return object;
    this.searched += shape.members.size;
    // In the order of the schema, which is the order of the form.
    const order = [...shape.members.keys(), ...shape.required].filter((name) => shape.required.has(name));
    for (const name of new Set(order)) {
      this.parts += 1;
      if (this.parts > mostParts) break;
      const value = this.of(memberPlaces(this.book, shape, name), depth + 1, {});
      if (value !== undefined && object.kind === 'object')
        object = { kind: 'object', members: [...object.members, { key: name, value, duplicate: false }] };
    }
    return object;
  }

  /** As many items as there have to be. */
  private array(shape: Shape, depth: number): JsonNode {
    const least = Math.max(Number(shape.lengths.minItems ?? 0), 0);
    const count = Math.min(least, Math.max(mostItems, listedItems(shape)), mostItems);
    if (depth >= mostLevels || !(count > 0)) return emptyArray;
    const items: JsonNode[] = [];
    for (let at = 0; at < count && this.parts < mostParts; at += 1) {
      this.parts += 1;
      items.push(this.added(itemPlaces(this.book, shape, at), depth + 1, {}));
    }
    return { kind: 'array', items };
  }

  private shape(places: readonly Place[], { chosen }: Seed): Shape {
    return shapeOf(this.book, places, undefined, (id) => chosen?.get(id) ?? null);
  }
}

/** Zero, or the nearest to it that is allowed, so that an item starts as right as it can. */
function leastNumber(shape: Shape): string {
  const limit = (keyword: string): string | undefined =>
    shape.limits.find((each) => each.keyword === keyword)?.value;
  const least = limit('minimum');
  if (least !== undefined && Number(least) > 0) return least;
  const most = limit('maximum');
  if (most !== undefined && Number(most) < 0) return most;
  const above = limit('exclusiveMinimum');
  if (above !== undefined && Number(above) >= 0 && readJson(above).problem === null)
    return String(Math.floor(Number(above)) + 1);
  return '0';
}
