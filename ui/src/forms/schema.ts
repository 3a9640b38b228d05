import { beginningOf } from '../json/beginning';
import { deepest, readJson, stringOf, type JsonNode } from '../json/read';
import { lookUp } from './look-up';

/**
 * A schema with its own references at hand: parts that have an address, anchors, definitions. Nothing is fetched, and
 * whatever leads nowhere is told as such.
 */
export class SchemaBook {
  readonly root: Place;
  private readonly resources = new Map<string, Resource>();
  /** The parts that begin a document of their own. */
  private readonly owners = new Map<JsonNode, Resource>();
  private readonly numbers = new WeakMap<JsonNode, number>();
  private lastNumber = 0;

  constructor(root: JsonNode) {
    const own = this.document(root, baseAddress);
    this.index(root, own);
    this.root = this.enter(root, { resource: own, scope: [] });
  }

  /** Where a schema stands that lies within another one. */
  enter(node: JsonNode, from: Pick<Place, 'resource' | 'scope'>): Place {
    const resource = this.owners.get(node) ?? from.resource;
    const scope =
      from.scope.at(-1) === resource || from.scope.length >= mostScopes
        ? from.scope
        : [...from.scope, resource];
    return { node, resource, scope };
  }

  /** What `$ref` leads to, or nothing. */
  refer(from: Place, reference: string): Place | null {
    const split = reference.indexOf('#');
    const address = split === -1 ? reference : reference.slice(0, split);
    const fragment = decoded(split === -1 ? '' : reference.slice(split + 1));
    const resource =
      address === '' ? from.resource : this.resources.get(resolved(address, from.resource.address));
    if (resource === undefined) return null;
    const start = this.enter(resource.node, { resource, scope: from.scope });
    if (fragment === '') return start;
    if (fragment.startsWith('/')) return this.follow(start, fragment);
    const node = resource.anchors.get(fragment) ?? resource.dynamicAnchors.get(fragment);
    return node === undefined ? null : this.enter(node, start);
  }

  /** What `$dynamicRef` leads to: the outermost part on the way here that has such an anchor. */
  referDynamically(from: Place, reference: string): Place | null {
    const first = this.refer(from, reference);
    const name = decoded(reference.slice(reference.indexOf('#') + 1));
    if (first === null || first.resource.dynamicAnchors.get(name) !== first.node) return first;
    for (const resource of from.scope) {
      const node = resource.dynamicAnchors.get(name);
      if (node !== undefined) return this.enter(node, { resource, scope: from.scope });
    }
    return first;
  }

  /** The same number for the same part, for as long as the book is open. */
  numberOf(node: JsonNode): number {
    const known = this.numbers.get(node);
    if (known !== undefined) return known;
    this.lastNumber += 1;
    this.numbers.set(node, this.lastNumber);
    return this.lastNumber;
  }

  private follow(start: Place, pointer: string): Place | null {
    let place = start;
    for (const segment of pointer.slice(1).split('/')) {
      const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
      const { node } = place;
      const next =
        node.kind === 'array' && /^(0|[1-9][0-9]{0,8})$/.test(key)
          ? node.items[Number(key)]
          : lookUp(node, key);
      if (next === undefined) return null;
      place = this.enter(next, place);
    }
    return place;
  }

  private document(node: JsonNode, base: string): Resource {
    const resource = { node, address: base, anchors: new Map(), dynamicAnchors: new Map() };
    this.owners.set(node, resource);
    const id = idOf(node);
    if (id !== null) resource.address = resolved(id, base);
    // The first of a name keeps it: what a later part calls itself can't take a place that is in use.
    for (const address of [resource.address, base]) {
      const known = this.resources.get(address);
      if (known === undefined && (address === resource.address || base === baseAddress))
        this.resources.set(address, resource);
    }
    return resource;
  }

  /** Finds addresses and anchors, wherever they stand but among data. */
  private index(root: JsonNode, own: Resource): void {
    const waiting: { node: JsonNode; resource: Resource }[] = [{ node: root, resource: own }];
    for (let seen = 0; seen < mostIndexed; seen += 1) {
      const next = waiting.pop();
      if (next === undefined) return;
      const { node } = next;
      let { resource } = next;
      if (node.kind === 'array') {
        for (const item of node.items) waiting.push({ node: item, resource });
      } else if (node.kind === 'object') {
        if (node.members.some(({ key }) => key.startsWith('$'))) {
          if (node !== root && idOf(node) !== null) resource = this.document(node, resource.address);
          const anchor = stringOf(lookUp(node, '$anchor')) ?? oldAnchor(node);
          if (anchor !== null) resource.anchors.set(anchor, node);
          const dynamic = stringOf(lookUp(node, '$dynamicAnchor'));
          if (dynamic !== null) resource.dynamicAnchors.set(dynamic, node);
        }
        for (const { key, value } of node.members) {
          if (!dataKeywords.has(key)) waiting.push({ node: value, resource });
        }
      }
    }
  }
}

/** A schema, where it stands, and through which documents one came to it. */
export type Place = { node: JsonNode; resource: Resource; scope: readonly Resource[] };

export type Resource = {
  node: JsonNode;
  address: string;
  anchors: Map<string, JsonNode>;
  dynamicAnchors: Map<string, JsonNode>;
};

/** The book of a schema's text, or why there is none. */
export function openSchema(text: string | null): { book: SchemaBook | null; reason: string } {
  if (text === null) return { book: null, reason: 'the tool has no input schema' };
  if (text.length > longestSchema)
    return { book: null, reason: `the schema has ${text.length.toLocaleString('en')} characters` };
  // What we cut ourselves is no fault of the server's.
  if (beginningOf(text) !== null) return { book: null, reason: 'only the beginning of the schema is here' };
  const { value, problem } = readJson(text);
  if (problem !== null) return { book: null, reason: `the schema is not JSON (${problem.message})` };
  const boolean = value.kind === 'literal' && value.text !== 'null';
  if (value.kind !== 'object' && !boolean)
    return { book: null, reason: 'the schema is neither an object nor true or false' };
  return { book: new SchemaBook(value), reason: '' };
}

/** It is read in one go, and the window waits: on two slow cores 50 to 100 ns for each character. */
export const longestSchema = 384 << 10;
const mostIndexed = 200_000;
const mostScopes = deepest;
const baseAddress = 'https://schema.invalid/';
const dataKeywords = new Set(['const', 'enum', 'default', 'examples']);

function idOf(node: JsonNode): string | null {
  const id = stringOf(lookUp(node, '$id'));
  return id === null || id.startsWith('#') ? null : id;
}

/** Before 2019 an anchor was an address of nothing but a fragment. */
function oldAnchor(node: JsonNode): string | null {
  const id = stringOf(lookUp(node, '$id'));
  return id !== null && id.length > 1 && id.startsWith('#') ? id.slice(1) : null;
}

function resolved(address: string, base: string): string {
  try {
    const url = new URL(address, base);
    url.hash = '';
    return url.href;
  } catch {
    return address;
  }
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
