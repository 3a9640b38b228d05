import { lookUp } from '../../forms/look-up';
import { stringOf, type JsonNode } from '../../json/read';

/** What is outside of the schemas that a question may have; the name is the server's, none means the whole. */
export type Stray = { name: string | null; words: string };

/** A question has flat fields: texts, numbers, true or false, and choices. Whatever else there is can still be answered. */
export function strays(schema: JsonNode | undefined): Stray[] {
  if (schema?.kind !== 'object')
    return [{ name: null, words: schema === undefined ? 'there is no schema' : 'the schema is no object' }];
  const found: Stray[] = [];
  if (stringOf(lookUp(schema, 'type')) !== 'object')
    found.push({ name: null, words: 'the schema is not of the type object' });
  for (const { key } of schema.members)
    if (!ofForms.has(key)) found.push({ name: key, words: 'is no keyword of a form' });
  const properties = lookUp(schema, 'properties');
  if (properties?.kind !== 'object') return [...found, { name: null, words: 'the schema names no fields' }];
  for (const { key, value } of properties.members) {
    const words = strayed(value);
    if (words !== null) found.push({ name: key, words });
  }
  const required = lookUp(schema, 'required');
  for (const item of required?.kind === 'array' ? required.items : []) {
    const name = stringOf(item);
    if (name !== null && lookUp(properties, name) === undefined)
      found.push({ name, words: 'is required and not described' });
  }
  return found;
}

const ofForms = new Set([
  '$schema',
  'type',
  'properties',
  'required',
  'title',
  'description',
  'additionalProperties',
]);
const ofFields = new Set(
  'type title description default minLength maxLength pattern format enum enumNames oneOf minimum maximum items minItems maxItems'.split(
    ' ',
  ),
);
const formats = ['email', 'uri', 'date', 'date-time'];

function strayed(field: JsonNode): string | null {
  if (field.kind !== 'object') return 'has no schema';
  const type = stringOf(lookUp(field, 'type'));
  if (type === null) return 'has no single type';
  if (type === 'object') return 'is an object within the form';
  const other = field.members.find(({ key }) => !ofFields.has(key));
  if (other !== undefined) return `has a keyword that fields do not have: ${other.key.slice(0, 60)}`;
  if (type === 'array')
    return areChoices(lookUp(field, 'items'), 'anyOf') ? null : 'is a list without choices';
  if (type === 'number' || type === 'integer' || type === 'boolean') return null;
  if (type !== 'string') return `has a type that fields do not have: ${type.slice(0, 60)}`;
  if (lookUp(field, 'oneOf') !== undefined && !areChoices(field, 'oneOf'))
    return 'has variants that are no choices';
  const format = stringOf(lookUp(field, 'format'));
  return format === null || formats.includes(format)
    ? null
    : `has a format that fields do not have: ${format.slice(0, 60)}`;
}

/** Texts in a list, or constants with a title. */
function areChoices(node: JsonNode | undefined, titled: 'anyOf' | 'oneOf'): boolean {
  if (lookUp(node, 'enum')?.kind === 'array') return true;
  const variants = lookUp(node, titled);
  return variants?.kind === 'array' && variants.items.every((each) => lookUp(each, 'const') !== undefined);
}
