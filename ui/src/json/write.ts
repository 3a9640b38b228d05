import type { JsonNode } from './read';

/** One line, with every scalar as it was written; what is sent to a server. */
export function compact(node: JsonNode): string {
  switch (node.kind) {
    case 'object':
      return `{${node.members.map((each) => `${JSON.stringify(each.key)}:${compact(each.value)}`).join(',')}}`;
    case 'array':
      return `[${node.items.map(compact).join(',')}]`;
    default:
      return node.text;
  }
}

/** Indented by two spaces, with every scalar as it was written. */
export function pretty(node: JsonNode, indent = ''): string {
  const inner = `${indent}  `;
  switch (node.kind) {
    case 'object': {
      if (node.members.length === 0) return '{}';
      const members = node.members.map(
        (each) => `${inner}${JSON.stringify(each.key)}: ${pretty(each.value, inner)}`,
      );
      return `{\n${members.join(',\n')}\n${indent}}`;
    }
    case 'array': {
      if (node.items.length === 0) return '[]';
      return `[\n${node.items.map((each) => inner + pretty(each, inner)).join(',\n')}\n${indent}]`;
    }
    default:
      return node.text;
  }
}
