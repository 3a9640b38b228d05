import { untrack } from 'svelte';
import type { JsonNode } from '../json/read';

/**
 * How much of a form is drawn at once. What is over waits for later turns, between which the window does other things,
 * so that no form holds it up, however large its schema and its value are.
 */
export class Pace {
  /** What may still be drawn in this turn. */
  private left: number;
  private turn = $state(0);
  private next: ReturnType<typeof setTimeout> | null = null;

  /** After a long schema was read, the turn is over already. */
  constructor(read: number) {
    this.left = read > longestRead ? 0 : perTurn;
  }

  /** How many of these parts can be drawn now. An effect that asks, and gets fewer, asks again in the next turn. */
  take(parts: readonly (JsonNode | undefined)[]): number {
    let given = 0;
    while (given < parts.length && this.left > 0) {
      this.left -= weightOf(parts[given]);
      given += 1;
    }
    if (given < parts.length) void this.turn;
    this.endTurn();
    return given;
  }

  /** Lets whatever is asked for in this turn be drawn. */
  hurry(): void {
    this.left = Infinity;
    this.turn += 1;
    this.endTurn();
  }

  private endTurn(): void {
    this.next ??= setTimeout(() => {
      this.next = null;
      this.left = perTurn;
      this.turn += 1;
    });
  }
}

/** Counts how many of some parts can be drawn by now. To be asked for while a component is made. */
export function gradually(
  pace: () => Pace,
  parts: () => readonly (JsonNode | undefined)[],
): { readonly count: number } {
  let count = $state(0);
  $effect.pre(() => {
    const all = parts();
    const drawn = untrack(() => count);
    const before = Math.min(drawn, all.length);
    count = before + (before < all.length ? pace().take(all.slice(before)) : 0);
  });
  return {
    get count() {
      return count;
    },
  };
}

/** Fields of a few words: 10 ms on two slow cores, and five times that where each has a hundred choices. */
const perTurn = 8;
/** Reading more takes as long as drawing. */
const longestRead = 50_000;

/** A long text takes as long to lay out as many fields do. */
function weightOf(part: JsonNode | undefined): number {
  return 1 + lengthOf(part, 10_000) / 1000;
}

/** How long a value is when it is written, counted no further than `most`. */
function lengthOf(node: JsonNode | undefined, most: number): number {
  if (node === undefined) return 0;
  if (node.kind !== 'object' && node.kind !== 'array') return node.text.length;
  let length = 0;
  for (const part of node.kind === 'array' ? node.items : node.members.map((each) => each.value)) {
    length += 1 + lengthOf(part, most - length);
    if (length >= most) break;
  }
  return length;
}
