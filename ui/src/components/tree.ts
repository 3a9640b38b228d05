import type { JsonNode } from '../json/read';

/** One line of a JSON tree that is unfolded as the person wants it. */
export type Line = {
  /** The way from the root, by places: stable while the text is. */
  path: string;
  depth: number;
  /** A member name, or the place in an array. */
  key: string;
  keyKind: 'name' | 'place' | 'none';
  /** As wide as the longest name beside it, within reason, so that values line up. */
  keyWidth: number;
  duplicate: boolean;
  node: JsonNode;
  /** Null for what has no inside. */
  open: boolean | null;
};

/** What the person folded or unfolded, by path; everything else follows the defaults. */
export type Folds = ReadonlyMap<string, boolean>;

/** The lines in sight, at most `limit`, and how many there are in all. */
export function treeLines(
  root: JsonNode,
  folds: Folds,
  openDepth: number,
  limit: number,
): { lines: Line[]; total: number } {
  const lines: Line[] = [];
  let total = 0;
  const add = (line: Line): void => {
    total += 1;
    if (lines.length < limit) lines.push(line);
  };
  const walk = (node: JsonNode, path: string, depth: number): void => {
    const children = childrenOf(node);
    const keyWidth = Math.min(
      widestName,
      Math.max(
        0,
        ...children.slice(0, 200).map((child) => (child.keyKind === 'name' ? child.key.length : 0)),
      ),
    );
    children.forEach((child, place) => {
      const childPath = `${path}.${place}`;
      const size = sizeOf(child.node);
      const open = size === 0 ? null : (folds.get(childPath) ?? (depth < openDepth && size <= 100));
      add({ ...child, path: childPath, depth, keyWidth, open });
      if (open === true) walk(child.node, childPath, depth + 1);
    });
  };
  if (sizeOf(root) === 0) {
    add({
      path: '',
      depth: 0,
      key: '',
      keyKind: 'none',
      keyWidth: 0,
      duplicate: false,
      node: root,
      open: null,
    });
  } else walk(root, '', 0);
  return { lines, total };
}

const widestName = 18;

export function sizeOf(node: JsonNode): number {
  if (node.kind === 'object') return node.members.length;
  return node.kind === 'array' ? node.items.length : 0;
}

type Child = Pick<Line, 'key' | 'keyKind' | 'duplicate' | 'node'>;

function childrenOf(node: JsonNode): Child[] {
  if (node.kind === 'object') {
    return node.members.map(({ key, value, duplicate }) => ({
      key,
      keyKind: 'name',
      duplicate,
      node: value,
    }));
  }
  if (node.kind === 'array') {
    return node.items.map((item, place) => ({
      key: String(place),
      keyKind: 'place',
      duplicate: false,
      node: item,
    }));
  }
  return [];
}
