import type { JsonNode } from '../json/read';
import { compact } from '../json/write';
import { lookUp } from './look-up';
import type { Place, SchemaBook } from './schema';

/**
 * Whether a value fits a schema, as far as a form needs to know: which variant is meant, which branch of `if` holds.
 * Null where it can't be told, or not soon. What is right and wrong is for the core to say.
 */
export function fits(
  book: SchemaBook,
  place: Place,
  value: JsonNode | undefined,
  effort: Effort = { steps: 0 },
): boolean | null {
  if (value === undefined) return null;
  return new Judge(book, effort).judge(place, value, 0);
}

/** What was spent so far; shared by all that is asked about one value. */
export type Effort = { steps: number };

/** The type of a value, as schemas call it. */
export function typeOf(node: JsonNode): string | null {
  if (node.kind === 'literal') return node.text === 'null' ? 'null' : 'boolean';
  return node.kind === 'raw' ? null : node.kind;
}

/** Whether two values say the same, whatever the order of members or the way of writing a number. */
export function same(one: JsonNode, other: JsonNode): boolean {
  return canonical(one) === canonical(other);
}

/** 1.0 and 1e3 are integers to JSON Schema; digits alone are, whatever their number. */
export function isInteger(text: string): boolean {
  return /^-?[0-9]+$/.test(text) || Number.isInteger(Number(text));
}

/** Exact for integers of any length that one may meet; as doubles otherwise. */
export function compareNumbers(one: string, other: string): number {
  if (/^-?[0-9]{1,1000}$/.test(one) && /^-?[0-9]{1,1000}$/.test(other)) {
    const difference = BigInt(one) - BigInt(other);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
  return Math.sign(Number(one) - Number(other));
}

const mostSteps = 2000;
const mostDepth = 40;

class Judge {
  constructor(
    private readonly book: SchemaBook,
    private readonly effort: Effort,
  ) {}

  judge(place: Place, value: JsonNode, depth: number): boolean | null {
    if (!this.spend(1 + lengthOf(value) / 64) || depth > mostDepth) return null;
    const { node } = place;
    if (node.kind === 'literal') return node.text === 'null' ? null : node.text === 'true';
    if (node.kind !== 'object') return null;
    const verdict = new Verdict();
    for (const { key, value: keyword } of node.members) {
      if (!this.spend(lengthOf(keyword) / 8)) return null;
      verdict.and(this.keyword(place, key, keyword, value, depth));
      if (verdict.is === false) return false;
    }
    return verdict.is;
  }

  private keyword(
    place: Place,
    key: string,
    keyword: JsonNode,
    value: JsonNode,
    depth: number,
  ): boolean | null {
    const judge = (schema: JsonNode, of: JsonNode): boolean | null =>
      this.judge(this.book.enter(schema, place), of, depth + 1);
    const all = (schemas: JsonNode, of: JsonNode): (boolean | null)[] =>
      schemas.kind === 'array' ? schemas.items.map((schema) => judge(schema, of)) : [null];
    switch (key) {
      case 'type':
        return hasType(keyword, value);
      case 'const':
        return same(keyword, value);
      case 'enum':
        return keyword.kind === 'array' ? isAmong(keyword.items, value) : null;
      case '$ref':
      case '$dynamicRef': {
        if (keyword.kind !== 'string') return null;
        const target =
          key === '$ref'
            ? this.book.refer(place, keyword.value)
            : this.book.referDynamically(place, keyword.value);
        return target === null ? null : this.judge(target, value, depth + 1);
      }
      case 'allOf':
        return conjunction(all(keyword, value));
      case 'anyOf':
        return disjunction(all(keyword, value));
      case 'oneOf': {
        const verdicts = all(keyword, value);
        if (verdicts.includes(null)) return null;
        return verdicts.filter(Boolean).length === 1;
      }
      case 'not': {
        const verdict = judge(keyword, value);
        return verdict === null ? null : !verdict;
      }
      case 'if': {
        const holds = judge(keyword, value);
        if (holds === null) return null;
        const branch = lookUp(place.node, holds ? 'then' : 'else');
        return branch === undefined ? true : judge(branch, value);
      }
      case 'required':
        return value.kind !== 'object' || keyword.kind !== 'array'
          ? true
          : keyword.items.every((name) => name.kind !== 'string' || lookUp(value, name.value) !== undefined);
      case 'properties': {
        if (value.kind !== 'object' || keyword.kind !== 'object') return true;
        return conjunction(
          value.members.map((each) => {
            const schema = lookUp(keyword, each.key);
            return schema === undefined ? true : judge(schema, each.value);
          }),
        );
      }
      case 'additionalProperties': {
        if (value.kind !== 'object') return true;
        if (lookUp(place.node, 'patternProperties') !== undefined) return null;
        const described = lookUp(place.node, 'properties');
        return conjunction(
          value.members.map(
            (each) => lookUp(described, each.key) !== undefined || judge(keyword, each.value),
          ),
        );
      }
      case 'prefixItems':
        return value.kind !== 'array' || keyword.kind !== 'array'
          ? true
          : conjunction(
              keyword.items
                .slice(0, value.items.length)
                .map((schema, at) => judge(schema, value.items[at] as JsonNode)),
            );
      case 'items': {
        if (value.kind !== 'array' || keyword.kind === 'array') return value.kind !== 'array' ? true : null;
        const first = lookUp(place.node, 'prefixItems');
        return conjunction(
          value.items
            .slice(first?.kind === 'array' ? first.items.length : 0)
            .map((item) => judge(keyword, item)),
        );
      }
      case 'minimum':
        return this.limit(keyword, value, (order) => order >= 0);
      case 'maximum':
        return this.limit(keyword, value, (order) => order <= 0);
      case 'exclusiveMinimum':
        return this.limit(keyword, value, (order) => order > 0);
      case 'exclusiveMaximum':
        return this.limit(keyword, value, (order) => order < 0);
      case 'minLength':
      case 'maxLength':
        return value.kind !== 'string' ? true : within(key, keyword, [...value.value].length);
      case 'minItems':
      case 'maxItems':
        return value.kind !== 'array' ? true : within(key, keyword, value.items.length);
      case 'minProperties':
      case 'maxProperties':
        return value.kind !== 'object' ? true : within(key, keyword, value.members.length);
      case 'pattern':
        return value.kind === 'string' ? null : true;
      case 'multipleOf':
        return value.kind === 'number' ? null : true;
      case 'uniqueItems':
      case 'contains':
      case 'unevaluatedItems':
        return value.kind === 'array' ? null : true;
      case 'patternProperties':
      case 'propertyNames':
      case 'unevaluatedProperties':
      case 'dependentSchemas':
      case 'dependentRequired':
      case 'dependencies':
        return value.kind === 'object' ? null : true;
      default:
        // Words about the value, or a keyword of nobody's.
        return true;
    }
  }

  /** False once all was spent that may be. */
  private spend(steps: number): boolean {
    this.effort.steps += steps;
    return this.effort.steps <= mostSteps;
  }

  private limit(keyword: JsonNode, value: JsonNode, holds: (order: number) => boolean): boolean | null {
    if (value.kind !== 'number' || keyword.kind !== 'number') return true;
    return holds(compareNumbers(value.text, keyword.text));
  }
}

/** True until something is unknown, and false for good. */
class Verdict {
  is: boolean | null = true;

  and(other: boolean | null): void {
    if (this.is === false || other === true) return;
    this.is = other;
  }
}

function conjunction(verdicts: (boolean | null)[]): boolean | null {
  return verdicts.includes(false) ? false : verdicts.includes(null) ? null : true;
}

function disjunction(verdicts: (boolean | null)[]): boolean | null {
  return verdicts.includes(true) ? true : verdicts.includes(null) ? null : false;
}

function hasType(keyword: JsonNode, value: JsonNode): boolean | null {
  const type = typeOf(value);
  if (type === null) return null;
  const is = (name: JsonNode): boolean =>
    name.kind === 'string' &&
    (name.value === type || (name.value === 'integer' && value.kind === 'number' && isInteger(value.text)));
  return keyword.kind === 'array' ? keyword.items.some(is) : is(keyword);
}

function isAmong(items: JsonNode[], value: JsonNode): boolean {
  const text = canonical(value);
  return items.some((item) => canonical(item) === text);
}

/** How much there is to go through. */
function lengthOf(node: JsonNode): number {
  if (node.kind === 'array') return node.items.length;
  return node.kind === 'object' ? node.members.length : node.text.length / 8;
}

function within(key: string, keyword: JsonNode, length: number): boolean | null {
  if (keyword.kind !== 'number') return true;
  const limit = Number(keyword.text);
  return key.startsWith('min') ? length >= limit : length <= limit;
}

/** The same text for values that say the same. A large value is written once, however many it is compared with. */
export function canonical(node: JsonNode): string {
  if (node.kind !== 'object' && node.kind !== 'array') return ordered(node);
  const text = written.get(node) ?? ordered(node);
  written.set(node, text);
  return text;
}

const written = new WeakMap<JsonNode, string>();

function ordered(node: JsonNode): string {
  switch (node.kind) {
    case 'object': {
      const members = node.members.map((each) => `${JSON.stringify(each.key)}:${ordered(each.value)}`);
      return `{${members.sort().join(',')}}`;
    }
    case 'array':
      return `[${node.items.map(ordered).join(',')}]`;
    case 'string':
      return JSON.stringify(node.value);
    case 'number':
      // Beyond what a double holds, only the same digits are the same.
      return node.text.length <= 16 || Number.isSafeInteger(Number(node.text))
        ? String(Number(node.text) + 0)
        : node.text;
    default:
      return compact(node);
  }
}
