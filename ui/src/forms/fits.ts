import { member, type JsonNode } from '../json/read';
import { compact } from '../json/write';
import type { Place, SchemaBook } from './schema';

/**
 * Whether a value fits a schema, as far as a form needs to know: which variant is meant, which branch of `if` holds.
 * Null where it can't be told, or not soon. What is right and wrong is for the core to say.
 */
export function fits(book: SchemaBook, place: Place, value: JsonNode | undefined): boolean | null {
  if (value === undefined) return null;
  return new Judge(book).judge(place, value, 0);
}

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

const mostSteps = 3000;
const mostDepth = 40;

class Judge {
  private steps = 0;

  constructor(private readonly book: SchemaBook) {}

  judge(place: Place, value: JsonNode, depth: number): boolean | null {
    this.steps += 1;
    if (this.steps > mostSteps || depth > mostDepth) return null;
    const { node } = place;
    if (node.kind === 'literal') return node.text === 'null' ? null : node.text === 'true';
    if (node.kind !== 'object') return null;
    const verdict = new Verdict();
    for (const { key, value: keyword } of node.members) {
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
        return keyword.kind === 'array' ? this.isAmong(keyword.items, value) : null;
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
        const branch = member(place.node, holds ? 'then' : 'else');
        return branch === undefined ? true : judge(branch, value);
      }
      case 'required':
        return value.kind !== 'object' || keyword.kind !== 'array'
          ? true
          : keyword.items.every((name) => name.kind !== 'string' || member(value, name.value) !== undefined);
      case 'properties': {
        if (value.kind !== 'object' || keyword.kind !== 'object') return true;
        const described = new Map(keyword.members.map((each) => [each.key, each.value]));
        return conjunction(
          value.members.map((each) => {
            const schema = described.get(each.key);
            return schema === undefined ? true : judge(schema, each.value);
          }),
        );
      }
      case 'additionalProperties': {
        if (value.kind !== 'object') return true;
        if (member(place.node, 'patternProperties') !== undefined) return null;
        const described = member(place.node, 'properties');
        const known = new Set(described?.kind === 'object' ? described.members.map((each) => each.key) : []);
        return conjunction(
          value.members.map((each) => (known.has(each.key) ? true : judge(keyword, each.value))),
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
        const first = member(place.node, 'prefixItems');
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

  private isAmong(items: JsonNode[], value: JsonNode): boolean | null {
    this.steps += items.length / 8;
    if (this.steps > mostSteps) return null;
    const text = canonical(value);
    return items.some((item) => canonical(item) === text);
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

function within(key: string, keyword: JsonNode, length: number): boolean | null {
  if (keyword.kind !== 'number') return true;
  const limit = Number(keyword.text);
  return key.startsWith('min') ? length >= limit : length <= limit;
}

function canonical(node: JsonNode): string {
  switch (node.kind) {
    case 'object': {
      const members = node.members.map((each) => `${JSON.stringify(each.key)}:${canonical(each.value)}`);
      return `{${members.sort().join(',')}}`;
    }
    case 'array':
      return `[${node.items.map(canonical).join(',')}]`;
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
