import { readJson, type JsonMember, type JsonNode } from '../json/read';

/** The way to a part of a value: names of members and places of items. */
export type Path = readonly (string | number)[];

/** What was typed and is no value yet. It is kept, shown, and never sent. */
export type Typed = 'number' | 'json';

/** The pointer that the core names a part by. */
export function pointerOf(path: Path): string {
  return path.map((each) => `/${String(each).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function text(value: string): JsonNode {
  return { kind: 'string', value, text: JSON.stringify(value) };
}

export const nothing: JsonNode = { kind: 'literal', text: 'null' };
export const emptyObject: JsonNode = { kind: 'object', members: [] };
export const emptyArray: JsonNode = { kind: 'array', items: [] };

/** A value from what was typed as JSON or as a number. What is none is kept as it is. */
export function typedValue(entered: string, as: Typed): JsonNode {
  const { value, problem } = readJson(entered);
  if (problem === null && (as === 'json' || value.kind === 'number')) return value;
  return { kind: 'raw', text: entered, reason: reasons[as] };
}

/** Whether something was typed here that is no value, and as what. */
export function typedAs(node: JsonNode | undefined): Typed | null {
  if (node?.kind !== 'raw') return null;
  return node.reason === reasons.number ? 'number' : node.reason === reasons.json ? 'json' : null;
}

const reasons: Record<Typed, string> = { number: 'a number, as typed', json: 'JSON, as typed' };

/** The places where something was typed that is no value, with what was typed. */
export function unfinished(root: JsonNode | undefined): { path: Path; text: string; as: Typed }[] {
  const found: { path: Path; text: string; as: Typed }[] = [];
  const walk = (node: JsonNode, path: Path): void => {
    const as = typedAs(node);
    if (as !== null && node.kind === 'raw') found.push({ path, text: node.text, as });
    else if (node.kind === 'object') for (const each of node.members) walk(each.value, [...path, each.key]);
    else if (node.kind === 'array') node.items.forEach((item, at) => walk(item, [...path, at]));
  };
  if (root !== undefined) walk(root, []);
  return found;
}

/** The member of an object that fields stand for; of two with one name neither can be meant. */
export function memberOf(node: JsonNode | undefined, name: string): JsonNode | undefined {
  return node?.kind === 'object' ? node.members.find((each) => each.key === name)?.value : undefined;
}

export function hasDuplicates(node: JsonNode): boolean {
  return node.kind === 'object' && node.members.some((each) => each.duplicate);
}

/**
 * The value with one part replaced, everything else as it was; nothing takes the part away. A new member goes where
 * `order` has it, so that a form and its JSON read alike.
 */
export function replaced(
  root: JsonNode | undefined,
  path: Path,
  part: JsonNode | undefined,
  order: readonly string[] = [],
): JsonNode | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return part;
  if (typeof step === 'number') {
    if (root?.kind !== 'array') return root;
    const item = replaced(root.items[step], rest, part, order);
    const items = [...root.items];
    if (item === undefined) items.splice(step, 1);
    else items[step] = item;
    return { kind: 'array', items };
  }
  const members = root?.kind === 'object' ? root.members : [];
  const at = members.findIndex((each) => each.key === step);
  const value = replaced(members[at]?.value, rest, part, order);
  if (value === undefined) return { kind: 'object', members: members.filter((_, place) => place !== at) };
  const entry: JsonMember = { key: step, value, duplicate: false };
  if (at !== -1) return { kind: 'object', members: members.with(at, entry) };
  return { kind: 'object', members: members.toSpliced(placeFor(members, step, order), 0, entry) };
}

/** Behind the last member that stands before it in the order; unknown ones go to the end. */
function placeFor(members: readonly JsonMember[], name: string, order: readonly string[]): number {
  const own = order.indexOf(name);
  if (own === -1) return members.length;
  const before = new Set(order.slice(0, own));
  const last = members.findLastIndex((each) => before.has(each.key));
  if (last !== -1) return last + 1;
  const after = new Set(order.slice(own + 1));
  const first = members.findIndex((each) => after.has(each.key));
  return first === -1 ? members.length : first;
}

/** The array with one item in another place. */
export function moved(node: JsonNode, from: number, to: number): JsonNode {
  if (node.kind !== 'array' || node.items[from] === undefined) return node;
  const items = node.items.toSpliced(from, 1);
  return { kind: 'array', items: items.toSpliced(to, 0, node.items[from]) };
}

/** The object with one member called otherwise, in its place. */
export function renamed(node: JsonNode, from: string, to: string): JsonNode {
  if (node.kind !== 'object') return node;
  return {
    kind: 'object',
    members: node.members.map((each) => (each.key === from ? { ...each, key: to } : each)),
  };
}
