import type { Question } from '../../backend/bindings';

/** The shape that an answer to this question has, for the person to fill in. Never an answer by itself. */
export function draftOf(question: Question): string {
  const draft =
    question.method === 'elicitation/create'
      ? elicitation(params(question))
      : { role: 'assistant', content: { type: 'text', text: '' }, model: 'by hand', stopReason: 'endTurn' };
  return JSON.stringify(draft, null, 2);
}

function elicitation(asked: Record<string, unknown>): unknown {
  if (asked['mode'] === 'url') return { action: 'accept' };
  const schema = asRecord(asked['requestedSchema']);
  const fields = Object.entries(asRecord(schema['properties'])).slice(0, 100);
  return {
    action: 'accept',
    content: Object.fromEntries(fields.map(([name, field]) => [name, initial(asRecord(field))])),
  };
}

function initial(field: Record<string, unknown>): unknown {
  if ('default' in field) return field['default'];
  const first: unknown = Array.isArray(field['enum']) ? field['enum'][0] : undefined;
  if (first !== undefined) return first;
  switch (field['type']) {
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    default:
      return '';
  }
}

function params(question: Question): Record<string, unknown> {
  try {
    return asRecord(JSON.parse(question.params ?? 'null'));
  } catch {
    return {};
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
