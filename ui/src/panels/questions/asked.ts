import type { Question } from '../../backend/bindings';
import { lookUp } from '../../forms/look-up';
import { readJson, stringOf, type JsonNode } from '../../json/read';
import { secretFields } from './secrets';
import { strays, type Stray } from './strays';

/** A question that was read: fields to fill in, a page to visit, or anything else, which is shown as JSON. */
export type Asked = FormAsked | PageAsked | { kind: 'other' };

export type FormAsked = {
  kind: 'form';
  /** None where it is no text. */
  message: string | null;
  schema: JsonNode | undefined;
  /** Where the schema is more than a server may ask for. */
  strays: Stray[];
  /** Fields that seem to ask for secrets, and those of them that are not shown while one types. */
  secrets: string[];
  covered: ReadonlySet<string>;
};

export type PageAsked = { kind: 'page'; message: string | null; url: string | null };

/** Total: whatever a server sends is one of the three. Of what is only the beginning nothing is guessed. */
export function readQuestion({ method, params, clipped }: Question): Asked {
  if (method !== 'elicitation/create' || clipped) return { kind: 'other' };
  const { value, problem } = readJson(params ?? 'null');
  if (problem !== null) return { kind: 'other' };
  const mode = lookUp(value, 'mode');
  const message = stringOf(lookUp(value, 'message'));
  if (stringOf(mode) === 'url') return { kind: 'page', message, url: stringOf(lookUp(value, 'url')) };
  if (mode !== undefined && stringOf(mode) !== 'form') return { kind: 'other' };
  const schema = lookUp(value, 'requestedSchema');
  return { kind: 'form', message, schema, strays: strays(schema), ...secretFields(schema) };
}

/** The address in three parts, the middle one its host; none where the host is not written there as it is. */
export function aroundHost(url: string, host: string): [string, string, string] | null {
  const start = url.indexOf('//') + 2;
  if (start === 1 || host === '') return null;
  const authority = /^[^/?#\\]*/.exec(url.slice(start))?.[0] ?? '';
  const from = start + authority.lastIndexOf('@') + 1;
  const to = from + host.length;
  if (url.slice(from, to).toLowerCase() !== host.toLowerCase()) return null;
  return [url.slice(0, from), url.slice(from, to), url.slice(to)];
}
