import type { JsonNode } from './read';

/** A value with its variables filled in. */
export type Filled = {
  value: JsonNode;
  /** Names that stand in the value and that have no value of their own, in their order, each once. */
  unknown: string[];
  /** Names that were filled in. */
  used: string[];
};

/** Fills in `{{name}}` within texts. Names of members stay as they are, and what is filled in is not looked at again. */
export function fillIn(node: JsonNode, values: ReadonlyMap<string, string>): Filled {
  const unknown = new Set<string>();
  const used = new Set<string>();
  const walk = (each: JsonNode): JsonNode => {
    switch (each.kind) {
      case 'object':
        return { ...each, members: each.members.map((one) => ({ ...one, value: walk(one.value) })) };
      case 'array':
        return { ...each, items: each.items.map(walk) };
      case 'string': {
        // A text without a variable keeps its escapes as they were written.
        if (!each.value.includes('{{')) return each;
        const filled = each.value.replaceAll(pattern, (whole, name: string) => {
          const value = values.get(name);
          (value === undefined ? unknown : used).add(name);
          return value ?? whole;
        });
        return filled === each.value ? each : { kind: 'string', value: filled, text: JSON.stringify(filled) };
      }
      default:
        return each;
    }
  };
  const value = walk(node);
  return { value, unknown: [...unknown], used: [...used] };
}

/** What a variable can be called. */
export function isVariableName(name: string): boolean {
  return new RegExp(`^${nameOf}$`).test(name);
}

const nameOf = '[A-Za-z_][A-Za-z0-9_-]{0,63}';
const pattern = new RegExp(`\\{\\{\\s*(${nameOf})\\s*\\}\\}`, 'g');
