import { member, readJson, stringOf, type JsonNode } from '../json/read';
import { compact } from '../json/write';

/**
 * The form of a tool's input schema. Total: every schema gives a form, and every property a field. What has no
 * control of its own is a field that takes JSON.
 */
export function readForm(schema: string | null): Form {
  if (schema === null) return { fields: [], whole: 'the tool has no input schema', notes: [] };
  const { value: root, problem } = readJson(schema);
  if (problem !== null)
    return { fields: [], whole: `the schema is not JSON (${problem.message})`, notes: [] };
  if (root.kind !== 'object') return { fields: [], whole: 'the schema is not an object', notes: [] };
  const type = member(root, 'type');
  if (type !== undefined && !typesOf(root).includes('object')) {
    return { fields: [], whole: 'the schema does not describe an object', notes: [] };
  }
  const properties = member(root, 'properties');
  const fields = fieldsOf(properties, requiredOf(root));
  const unmodelled = root.members.map((each) => each.key).filter((key) => combiners.has(key));
  if (fields.length === 0 && (unmodelled.length > 0 || takesAnything(root))) {
    const reason =
      unmodelled.length > 0
        ? `the schema uses \`${unmodelled.join('`, `')}\``
        : 'the schema names no properties';
    return { fields, whole: reason, notes: [] };
  }
  const notes =
    unmodelled.length > 0 ? [`the form does not check \`${unmodelled.join('`, `')}\` of this schema`] : [];
  return { fields, whole: null, notes };
}

export type Form = {
  fields: Field[];
  /** Why the arguments are one piece of JSON instead of fields, if they are. */
  whole: string | null;
  notes: string[];
};

export type Field = {
  name: string;
  title: string | null;
  description: string | null;
  required: boolean;
  nullable: boolean;
  control: Control;
  /** JSON text, verbatim. */
  initial: string | null;
  /** What may be entered, in words: `integer, 1 to 9, required`. */
  rule: string;
};

export type Control =
  | {
      kind: 'text';
      format: string | null;
      minLength: number | null;
      maxLength: number | null;
      pattern: string | null;
    }
  | { kind: 'number'; integer: boolean; limits: Limit[] }
  | { kind: 'boolean' }
  | { kind: 'choice'; options: Option[] }
  | { kind: 'json'; reason: string };

/** `json` is the text that is sent. */
export type Option = { label: string; json: string };
export type Limit = {
  keyword: 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'multipleOf';
  value: string;
};

const limitKeywords: Limit['keyword'][] = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
];
const combiners = new Set([
  '$ref',
  '$dynamicRef',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
  'patternProperties',
]);
const plainTypes = new Set(['string', 'number', 'integer', 'boolean']);

/** A property of arguments that the schema does not name, so that JSON typed by hand is never lost. */
export function unnamedField(name: string): Field {
  return {
    name,
    title: null,
    description: null,
    required: false,
    nullable: false,
    control: { kind: 'json', reason: 'not in the schema' },
    initial: null,
    rule: 'JSON, not in the schema',
  };
}

function fieldsOf(properties: JsonNode | undefined, required: Set<string>): Field[] {
  const fields = new Map<string, Field>();
  if (properties?.kind === 'object') {
    for (const { key, value } of properties.members) fields.set(key, fieldOf(key, value, required.has(key)));
  }
  for (const name of required) {
    if (!fields.has(name)) {
      fields.set(name, { ...unnamedField(name), required: true, rule: 'JSON, required but not described' });
    }
  }
  return [...fields.values()];
}

function fieldOf(name: string, schema: JsonNode, required: boolean): Field {
  const types = typesOf(schema);
  const nullable = types.includes('null');
  const control = controlOf(schema, types);
  const initial = member(schema, 'default');
  return {
    name,
    title: stringOf(member(schema, 'title')),
    description: stringOf(member(schema, 'description')),
    required,
    nullable,
    control,
    initial: initial === undefined ? null : compact(initial),
    rule: [ruleOf(control, types), nullable ? 'or null' : '', required ? 'required' : '']
      .filter(Boolean)
      .join(', '),
  };
}

function controlOf(schema: JsonNode, types: string[]): Control {
  const combiner =
    schema.kind === 'object' ? schema.members.find((each) => combiners.has(each.key)) : undefined;
  if (combiner !== undefined) return { kind: 'json', reason: `uses \`${combiner.key}\`` };
  const constant = member(schema, 'const');
  if (constant !== undefined) return { kind: 'choice', options: [optionOf(constant)] };
  const choices = member(schema, 'enum');
  if (choices?.kind === 'array' && choices.items.length > 0) {
    // A list that nobody scrolls through is typed instead.
    if (choices.items.length > 500) return { kind: 'json', reason: `one of ${choices.items.length}` };
    return { kind: 'choice', options: choices.items.map(optionOf) };
  }
  const plain = types.filter((type) => type !== 'null');
  const [type] = plain;
  if (plain.length !== 1 || type === undefined || !plainTypes.has(type)) {
    return { kind: 'json', reason: plain.length === 1 ? `of type ${type}` : 'of no single type' };
  }
  if (type === 'boolean') return { kind: 'boolean' };
  if (type === 'string') {
    return {
      kind: 'text',
      format: stringOf(member(schema, 'format')),
      minLength: wholeNumber(member(schema, 'minLength')),
      maxLength: wholeNumber(member(schema, 'maxLength')),
      pattern: stringOf(member(schema, 'pattern')),
    };
  }
  const limits = limitKeywords.flatMap((keyword) => {
    const value = member(schema, keyword);
    return value?.kind === 'number' ? [{ keyword, value: value.text }] : [];
  });
  return { kind: 'number', integer: type === 'integer', limits };
}

function optionOf(node: JsonNode): Option {
  return {
    label: node.kind === 'string' && node.value !== '' ? node.value : compact(node),
    json: compact(node),
  };
}

function ruleOf(control: Control, types: string[]): string {
  switch (control.kind) {
    case 'text': {
      const { format, minLength: least, maxLength: most } = control;
      const length =
        least !== null && most !== null
          ? `${least} to ${most} characters`
          : least !== null
            ? `at least ${least} characters`
            : most !== null
              ? `at most ${most} characters`
              : '';
      return [format ?? 'text', length].filter(Boolean).join(', ');
    }
    case 'number':
      return [control.integer ? 'integer' : 'number', ...limitWords(control.limits)].join(', ');
    case 'boolean':
      return 'true or false';
    case 'choice':
      return control.options.length === 1 ? 'always the same' : `one of ${control.options.length}`;
    case 'json':
      return types.length > 0
        ? `JSON ${types.filter((type) => type !== 'null').join(' or ')}`.trim()
        : 'JSON';
  }
}

function limitWords(limits: Limit[]): string[] {
  const value = (keyword: Limit['keyword']): string | undefined =>
    limits.find((each) => each.keyword === keyword)?.value;
  const [least, most] = [value('minimum'), value('maximum')];
  const [above, below, step] = [value('exclusiveMinimum'), value('exclusiveMaximum'), value('multipleOf')];
  const words: string[] = [];
  if (least !== undefined && most !== undefined) words.push(`${least} to ${most}`);
  else if (least !== undefined) words.push(`at least ${least}`);
  else if (most !== undefined) words.push(`at most ${most}`);
  if (above !== undefined) words.push(`above ${above}`);
  if (below !== undefined) words.push(`below ${below}`);
  if (step !== undefined) words.push(`a multiple of ${step}`);
  return words;
}

function typesOf(schema: JsonNode): string[] {
  const type = member(schema, 'type');
  if (type?.kind === 'string') return [type.value];
  if (type?.kind === 'array')
    return type.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []));
  return [];
}

function requiredOf(schema: JsonNode): Set<string> {
  const required = member(schema, 'required');
  if (required?.kind !== 'array') return new Set();
  return new Set(required.items.flatMap((item) => (item.kind === 'string' ? [item.value] : [])));
}

/** A schema without properties takes any object, unless it says otherwise. */
function takesAnything(root: JsonNode): boolean {
  const additional = member(root, 'additionalProperties');
  if (additional === undefined)
    return member(root, 'properties') === undefined && member(root, 'type') === undefined;
  return additional.kind === 'object' || (additional.kind === 'literal' && additional.text === 'true');
}

function wholeNumber(node: JsonNode | undefined): number | null {
  if (node?.kind !== 'number') return null;
  const value = Number(node.text);
  return Number.isSafeInteger(value) && value >= 0 ? value : null;
}
