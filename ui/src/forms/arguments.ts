import { readJson, type JsonNode } from '../json/read';
import { compact } from '../json/write';
import { checkField } from './check';
import { unnamedField, type Field, type Form } from './field';

/**
 * What is in a field. `typed` holds the text of the control: the characters of a text, a number as typed, and
 * JSON text everywhere else. `json` is a value of another type that came from JSON mode. An absent field is not sent.
 */
export type Value =
  | { state: 'absent' }
  | { state: 'null' }
  | { state: 'typed'; text: string }
  | { state: 'json'; text: string };

/** By the name of the field; a map, because a property may be called `__proto__`. */
export type Values = ReadonlyMap<string, Value>;

export const absent: Value = { state: 'absent' };

/** A required field with a default or only one choice starts with it; everything else starts empty. */
export function initialValues(form: Form): Values {
  return new Map(form.fields.map((field) => [field.name, field.required ? initialValue(field) : absent]));
}

function initialValue(field: Field): Value {
  const only =
    field.control.kind === 'choice' && field.control.options.length === 1
      ? field.control.options[0]
      : undefined;
  if (only !== undefined) return { state: 'typed', text: only.json };
  return field.initial === null ? absent : valueOf(field, readJson(field.initial).value);
}

/** The value of a field that stands for this JSON. */
export function valueOf(field: Field, node: JsonNode): Value {
  if (node.kind === 'literal' && node.text === 'null' && field.nullable && field.control.kind !== 'choice')
    return { state: 'null' };
  if (field.control.kind === 'text') {
    return node.kind === 'string'
      ? { state: 'typed', text: node.value }
      : { state: 'json', text: compact(node) };
  }
  return { state: 'typed', text: compact(node) };
}

/** The JSON text of one field, or nothing when it is not sent. What can't be JSON is given as typed. */
export function fieldText(field: Field, value: Value): string | null {
  if (value.state === 'absent') return null;
  if (value.state === 'null') return 'null';
  return field.control.kind === 'text' && value.state === 'typed'
    ? JSON.stringify(value.text)
    : value.text.trim();
}

export type Arguments = {
  /** One line of JSON, with every number as typed. Not JSON when `sendable` is false. */
  text: string;
  sendable: boolean;
  problems: Map<string, string>;
};

export function buildArguments(fields: Field[], values: Values): Arguments {
  const members: string[] = [];
  const problems = new Map<string, string>();
  let sendable = true;
  for (const field of fields) {
    const value = values.get(field.name) ?? absent;
    const check = checkField(field, value);
    if (check !== null) {
      problems.set(field.name, check.message);
      sendable &&= check.sendable;
    }
    const text = fieldText(field, value);
    if (text === null) continue;
    const { value: node, problem } = readJson(text);
    members.push(`${JSON.stringify(field.name)}:${problem === null ? compact(node) : text}`);
  }
  return { text: `{${members.join(',')}}`, sendable, problems };
}

/** The fields and values that stand for JSON typed by hand: what the schema does not name gets a field too. */
export function readArguments(form: Form, node: JsonNode): { fields: Field[]; values: Values } | null {
  if (node.kind !== 'object') return null;
  const fields = new Map(form.fields.map((field) => [field.name, field]));
  const values = new Map<string, Value>(form.fields.map((field) => [field.name, absent]));
  for (const { key, value } of node.members) {
    const field = fields.get(key) ?? unnamedField(key);
    fields.set(key, field);
    values.set(key, valueOf(field, value));
  }
  return { fields: [...fields.values()], values };
}
