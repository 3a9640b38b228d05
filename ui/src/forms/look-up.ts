import { member, type JsonNode } from '../json/read';

/**
 * The member of that name, as `member` finds it. An object of thousands is sorted once, and not searched through for
 * every name that it is asked for.
 */
export function lookUp(node: JsonNode | undefined, name: string): JsonNode | undefined {
  if (node?.kind !== 'object' || node.members.length <= mostSearched) return member(node, name);
  let members = sorted.get(node);
  if (members === undefined) {
    members = new Map(node.members.map(({ key, value }) => [key, value]));
    sorted.set(node, members);
  }
  return members.get(name);
}

const mostSearched = 32;
/** Nodes never change: what changes is replaced. */
const sorted = new WeakMap<JsonNode, ReadonlyMap<string, JsonNode>>();
