import { stringOf, type JsonNode } from '../json/read';
import { compact } from '../json/write';
import { fixedOf, followed } from './gather';
import { lookUp } from './look-up';
import type { Place, SchemaBook } from './schema';
import type { Lengths, Limit, Shape } from './shape';

/** What may be entered, in words: `integer, 1 to 9, required`. */
export function ruleOf(shape: Shape, required: 'required' | 'optional' | 'item'): string {
  return [
    subject(shape),
    shape.nullable ? 'or null' : '',
    required === 'required' ? 'required' : '',
    ...shape.marks,
  ]
    .filter(Boolean)
    .join(', ');
}

/** What a variant is called: by its title, by what is fixed in it, or by what it is. */
export function variantLabel(book: SchemaBook, place: Place, at: number): string {
  const title = stringOf(lookUp(place.node, 'title'));
  if (title) return title;
  const { node } = followed(book, place);
  const far = stringOf(lookUp(node, 'title'));
  if (far) return far;
  const fixed = fixedMembers(node);
  if (fixed !== null) return fixed;
  const reference = stringOf(lookUp(place.node, '$ref')) ?? stringOf(lookUp(place.node, '$dynamicRef'));
  const name = reference?.split(/[/#]/).at(-1);
  if (name) return name;
  const constant = fixedOf(node);
  if (constant !== undefined) return compact(constant).slice(0, 60);
  const type = lookUp(node, 'type');
  const types = type?.kind === 'string' ? [type.value] : listOf(type);
  const names = memberNames(lookUp(node, 'properties'));
  const required = listOf(lookUp(node, 'required'));
  const words = types.map((each) => typeNames[each] ?? each).join(' or ');
  if (names.length > 0)
    return [words === 'object' ? '' : words, names.slice(0, 3).join(', ')].filter(Boolean).join(': ');
  if (required.length > 0) return `with ${required.slice(0, 3).join(', ')}`;
  const format = stringOf(lookUp(node, 'format'));
  if (format !== null) return format;
  if (words !== '') return words;
  return `variant ${at + 1}`;
}

const typeNames: Record<string, string> = { string: 'text', boolean: 'true or false', array: 'list' };

function subject(shape: Shape): string {
  if (shape.gathered.never) return 'nothing is allowed here';
  if (shape.choices !== null) {
    const [only] = shape.choices;
    return shape.choices.length === 1 && only !== undefined
      ? 'always the same'
      : `one of ${shape.choices.length.toLocaleString('en')}`;
  }
  if (shape.any) return 'any JSON';
  const words = shape.kinds.map((kind) => {
    switch (kind) {
      case 'text':
        return textWords(shape);
      case 'number':
        return [shape.integer ? 'integer' : 'number', ...limitWords(shape.limits)].join(', ');
      case 'boolean':
        return 'true or false';
      case 'object':
        return ['object', range(shape.lengths, 'minProperties', 'maxProperties', 'member')]
          .filter(Boolean)
          .join(', ');
      case 'array':
        return arrayWords(shape);
      default:
        return kind;
    }
  });
  return words.length > 0 ? words.join(' or ') : `JSON ${shape.typeWords.join(' or ')}`.trim();
}

function textWords({ text, lengths }: Shape): string {
  const media = [text.media, text.encoding].filter(Boolean).join(' in ');
  return [
    text.format ?? (media || 'text'),
    range(lengths, 'minLength', 'maxLength', 'character'),
    ...text.patterns.map((each) => `like ${each}`),
  ]
    .filter(Boolean)
    .join(', ');
}

function arrayWords(shape: Shape): string {
  return [
    'list',
    range(shape.lengths, 'minItems', 'maxItems', 'item'),
    shape.unique ? 'no two the same' : '',
    shape.contains ? containsWords(shape.lengths) : '',
  ]
    .filter(Boolean)
    .join(', ');
}

function containsWords(lengths: Lengths): string {
  const words = range(lengths, 'minContains', 'maxContains', 'item');
  return words === '' ? 'with a certain item' : `with ${words} of a certain kind`;
}

function range(lengths: Lengths, least: keyof Lengths, most: keyof Lengths, noun: string): string {
  const [from, to] = [lengths[least], lengths[most]];
  if (from !== undefined && to !== undefined)
    return from === to ? `${from} ${plural(from, noun)}` : `${from} to ${to} ${noun}s`;
  if (from !== undefined) return `at least ${from} ${plural(from, noun)}`;
  return to === undefined ? '' : `at most ${to} ${plural(to, noun)}`;
}

function plural(count: string, noun: string): string {
  return count === '1' ? noun : `${noun}s`;
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

/** `by: car`, where the variants of a union are told apart by fixed members. */
function fixedMembers(node: JsonNode): string | null {
  const properties = lookUp(node, 'properties');
  if (properties?.kind !== 'object') return null;
  const fixed = properties.members.slice(0, 50).flatMap(({ key, value }) => {
    const constant = fixedOf(value);
    if (constant === undefined) return [];
    return [`${key}: ${constant.kind === 'string' ? constant.value : compact(constant)}`];
  });
  return fixed.length > 0 ? fixed.slice(0, 2).join(', ').slice(0, 60) : null;
}

function memberNames(node: JsonNode | undefined): string[] {
  return node?.kind === 'object' ? node.members.slice(0, 4).map((each) => each.key) : [];
}

function listOf(node: JsonNode | undefined): string[] {
  return node?.kind === 'array'
    ? node.items.slice(0, 8).flatMap((item) => (item.kind === 'string' ? [item.value] : []))
    : [];
}
