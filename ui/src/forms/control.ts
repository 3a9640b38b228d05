import type { JsonNode } from '../json/read';
import { same } from './fits';
import { kindOfValue, type Kind, type Shape } from './shape';
import { hasDuplicates, typedAs } from './value';

/** The control that shows a value: one of the shape's kinds, or JSON with the reason why. */
export type Control = { kind: Kind } | { kind: 'json'; reason: string };

/**
 * Which control shows this value. A value that no control of the shape can show is JSON, so that it is there and stays
 * as it is. `wanted` is what a person asked for, if the value allows it.
 */
export function controlOf(
  shape: Shape,
  value: JsonNode | undefined,
  wanted: Kind | 'json' | null,
  depth: number,
): Control {
  if (wanted === 'json') return asJson('');
  if (value === undefined) {
    const kind = wanted ?? shape.preferred;
    return kind === 'json' ? asJson('') : { kind };
  }
  const typed = typedAs(value);
  if (typed !== null) return typed === 'number' ? { kind: 'number' } : asJson('');
  if (value.kind === 'literal' && value.text === 'null' && shape.nullable && shape.choices === null)
    return { kind: 'null' };
  if (shape.choices !== null) {
    return shape.choices.some((choice) => same(choice.node, value))
      ? { kind: 'choice' }
      : asJson('none of the choices');
  }
  const kind = kindOfValue(value);
  if (kind === null) return asJson(value.kind === 'raw' ? value.reason : '');
  if (!shape.untyped && !shape.kinds.includes(kind))
    return asJson(`${names[kind]}, which the schema does not expect here`);
  if (kind === 'text') {
    const lost = lostInField(value, shape.text.format);
    return lost === null ? { kind } : asJson(lost);
  }
  if (kind !== 'object' && kind !== 'array') return { kind };
  if (hasDuplicates(value)) return asJson('two members have the same name');
  if (depth >= deepestField) return asJson(`deeper than ${deepestField} levels`);
  return { kind };
}

/** What a field of the page would drop from a text as soon as anything in it is edited. */
function lostInField(value: JsonNode, format: string | null): string | null {
  if (value.kind !== 'string') return null;
  if (value.value.includes('\r')) return 'a text with carriage returns (\\r), which no text field keeps';
  const oneLine = format === 'password';
  return oneLine && value.value.includes('\n') ? 'a password of several lines' : null;
}

/** Fields within fields beyond this are one piece of JSON. */
export const deepestField = 10;

const names: Record<Kind, string> = {
  text: 'a text',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  object: 'an object',
  array: 'a list',
  choice: 'a choice',
};

function asJson(reason: string): Control {
  return { kind: 'json', reason };
}
