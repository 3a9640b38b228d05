import { lookUp } from '../../forms/look-up';
import { stringOf, type JsonNode } from '../../json/read';

/**
 * The fields, at whatever depth, that seem to ask for a secret: by their name, their title, their description or their
 * format. A server must not ask for such in a form.
 */
export function secretFields(schema: JsonNode | undefined): {
  secrets: string[];
  covered: ReadonlySet<string>;
} {
  const [secrets, covered] = [new Set<string>(), new Set<string>()];
  const waiting = schema === undefined ? [] : [schema];
  for (const node of waiting) {
    if (node.kind === 'array') for (const item of node.items) if (holds(item)) waiting.push(item);
    if (node.kind !== 'object') continue;
    const properties = lookUp(node, 'properties');
    for (const { key, value } of properties?.kind === 'object' ? properties.members : []) {
      const password = stringOf(lookUp(value, 'format')) === 'password';
      if (password) covered.add(key);
      if (password || looksSecret(key, value)) secrets.add(key);
    }
    for (const { value } of node.members) if (holds(value)) waiting.push(value);
  }
  return { secrets: [...secrets], covered };
}

/** Written together or apart, in the middle of a word too. */
const long =
  /password|passwd|passphrase|passcode|secret(?!ar)|token(?!s|iz)|apikey|(access|auth|private|encryption)key|credential|(card|creditcard)number|securitycode|socialsecurity|seedphrase|mnemonic/;
/** Only as words of their own. */
const short = /\b(cvv2?|cvc2?|ssn|otp|pwd|credit card)\b/;
/** In a sentence these mean other things. */
const brief = /\b(pin|pass)\b/;

function looksSecret(name: string, schema: JsonNode): boolean {
  const about = stringOf(lookUp(schema, 'description')) ?? '';
  const called = `${name} / ${stringOf(lookUp(schema, 'title')) ?? ''}`;
  return [called, about].some((text, place) => {
    const words = text
      .slice(0, 2000)
      .replace(/([a-z0-9])(?=[A-Z])/g, '$1 ')
      .replace(/[\s_.-]+/g, ' ')
      .toLowerCase();
    return long.test(words.replaceAll(' ', '')) || short.test(words) || (place === 0 && brief.test(words));
  });
}

function holds(node: JsonNode): boolean {
  return node.kind === 'object' || node.kind === 'array';
}
