import type { JsonNode } from '../json/read';
import type { Place, SchemaBook } from './schema';
import { itemPlaces, memberPlaces, shapeOf } from './shape';
import { pointerOf, type Path } from './value';

/** Fields that are open when a form is first shown; what lies further down or behind them is folded. */
const mostOpen = 300;
/** Fields of one object that are shown at once. */
export const fieldsAtOnce = 100;
export const itemsAtOnce = 50;

/** Which parts begin folded, so that a form is small at first however large its value and its schema are. */
export function foldedAtFirst(book: SchemaBook | null, root: JsonNode): string[] {
  if (book === null) return [];
  const folded: string[] = [];
  const waiting: { node: JsonNode; places: readonly Place[]; path: Path }[] = [
    { node: root, places: [book.root], path: [] },
  ];
  let open = 0;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { node, places, path } = next;
    if (open >= mostOpen) {
      folded.push(pointerOf(path));
      continue;
    }
    const shape = shapeOf(book, places, node, () => null);
    if (node.kind === 'object') {
      const others = node.members.filter((each) => !shape.members.has(each.key));
      open += Math.min(fieldsAtOnce, shape.members.size + others.length);
      for (const { key, value } of node.members.slice(0, fieldsAtOnce)) {
        if (holds(value))
          waiting.push({ node: value, places: memberPlaces(book, shape, key), path: [...path, key] });
      }
    } else if (node.kind === 'array') {
      open += Math.min(itemsAtOnce, node.items.length);
      for (const [at, item] of node.items.slice(0, itemsAtOnce).entries()) {
        if (holds(item))
          waiting.push({ node: item, places: itemPlaces(book, shape, at), path: [...path, at] });
      }
    }
  }
  return folded;
}

function holds(node: JsonNode): boolean {
  return node.kind === 'object' || node.kind === 'array';
}
