import { readJson, type JsonNode } from '../json/read';
import { memberOf, type Path, pointerOf, type Typed } from './value';

/** Something that the core found wrong, by the pointer of what would have to change. */
export type Found = { place: string; message: string };

/**
 * What is wrong, and where. What was typed and is no value is told at once, and so is what the core says of a value
 * that is there; what is missing only once a call was tried.
 */
export class Problems {
  /** What the schema finds wrong; a call can be made all the same. */
  readonly count: number;
  /** Of what is told, where it is. */
  readonly pointers: string[];
  private readonly told = new Map<string, string[]>();

  constructor(
    root: JsonNode,
    loose: readonly { path: Path; text: string; as: Typed }[],
    found: readonly Found[],
    tried: boolean,
  ) {
    this.count = found.length;
    for (const { path, text, as } of loose) this.tell(pointerOf(path), looseWords(text, as));
    for (const { place, message } of found) {
      // The field has the name already.
      if (tried || isEntered(root, place))
        this.tell(place, message.replace(/^`.*` is (required|not allowed)$/s, '$1'));
    }
    this.pointers = [...this.told.keys()];
  }

  at(pointer: string): readonly string[] {
    return this.told.get(pointer) ?? none;
  }

  /** What is wrong inside, as sentences that say where. */
  within(pointer: string): string[] {
    const below = `${pointer}/`;
    return [...this.told].flatMap(([place, messages]) =>
      place.startsWith(below) ? messages.map((message) => `${place.slice(pointer.length)}: ${message}`) : [],
    );
  }

  /** The parts right inside that something is wrong with, by their names or places. */
  inside(pointer: string): string[] {
    const below = `${pointer}/`;
    return this.pointers.flatMap((place) => {
      const step = place.startsWith(below) ? place.slice(below.length) : '/';
      return step.includes('/') ? [] : [named(step)];
    });
  }

  private tell(pointer: string, message: string): void {
    this.told.set(pointer, [...(this.told.get(pointer) ?? []), message]);
  }
}

const none: readonly string[] = [];

function looseWords(text: string, as: Typed): string {
  if (as === 'number') return 'must be a number';
  const { problem } = readJson(text);
  return problem === null ? 'no JSON' : `line ${problem.line}, column ${problem.column}: ${problem.message}`;
}

/** Whether a person entered what stands there: a text, a number, a choice, and not what merely holds others. */
function isEntered(root: JsonNode, pointer: string): boolean {
  let node: JsonNode | undefined = root;
  for (const step of pointer.split('/').slice(1)) {
    const key = named(step);
    node = node?.kind === 'array' ? node.items[Number(key)] : memberOf(node, key);
  }
  return node !== undefined && node.kind !== 'object' && node.kind !== 'array';
}

function named(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
