import { member, stringOf, type JsonNode } from '../../json/read';

/** What a block of content is, by any revision of the protocol. Nothing in it is believed to have the right type. */
export type Block = {
  kind: Kind;
  /** As the server calls it. */
  type: string | null;
  /** Text to show as it is. */
  text: Text | null;
  /** Where below the block a base64 text stands. */
  base64: string | null;
  uri: string | null;
  mime: string | null;
  /** Of a link, a tool or a resource that has one. */
  name: string | null;
  title: string | null;
  description: string | null;
  /** Bytes, as the server says. */
  size: string | null;
  /** What the server says about whom and how much it matters to. */
  claims: { name: string; value: string }[];
};

export type Kind =
  | 'text'
  | 'image'
  | 'audio'
  | 'resource'
  | 'link'
  | 'tool-use'
  | 'tool-result'
  /** Several blocks where one is usual. */
  | 'list'
  /** Nothing that we know: its JSON is shown. */
  | 'unknown';

/** `cut`: only the first part of the result is here, and it ends within this text. */
export type Text = { text: string; cut: boolean };

const kinds: Record<string, Kind> = {
  text: 'text',
  image: 'image',
  audio: 'audio',
  resource: 'resource',
  resource_link: 'link',
  tool_use: 'tool-use',
  tool_result: 'tool-result',
};

export function readBlock(node: JsonNode): Block {
  const type = stringOf(member(node, 'type'));
  // What `resources/read` gives has no type, and is what an embedded resource has inside.
  const bare = type === null && member(node, 'uri') !== undefined;
  const inner = type === 'resource' ? member(node, 'resource') : node;
  const text = textOf(member(inner, 'text'));
  const field = type === 'image' || type === 'audio' ? 'data' : 'blob';
  const holder = type === 'resource' ? '/resource' : '';
  const has = member(inner, field);
  const block: Block = {
    kind: bare ? 'resource' : kindOf(node, type),
    type,
    text,
    base64: isText(has) ? `${holder}/${field}` : null,
    uri: stringOf(member(inner, 'uri')),
    mime: stringOf(member(inner, 'mimeType')),
    name: stringOf(member(inner, 'name')),
    title: stringOf(member(inner, 'title')),
    description: stringOf(member(inner, 'description')),
    size: numberOf(member(inner, 'size')),
    claims: claimsOf(member(node, 'annotations') ?? member(inner, 'annotations')),
  };
  return hasWhatItNeeds(block, node) ? block : { ...block, kind: 'unknown' };
}

/** The blocks within a block, each with its pointer: of a list, or of the result of a tool. */
export function blocksWithin(node: JsonNode, pointer: string): { block: JsonNode; pointer: string }[] {
  const content = node.kind === 'array' ? node : member(node, 'content');
  const base = node.kind === 'array' ? pointer : `${pointer}/content`;
  if (content === undefined) return [];
  if (content.kind !== 'array') return [{ block: content, pointer: base }];
  return content.items.map((block, place) => ({ block, pointer: `${base}/${place}` }));
}

function kindOf(node: JsonNode, type: string | null): Kind {
  if (node.kind === 'array') return 'list';
  return type !== null && Object.hasOwn(kinds, type) ? (kinds[type] ?? 'unknown') : 'unknown';
}

/** A block that lacks what its type is about is shown as the JSON that it is. */
function hasWhatItNeeds({ kind, text, base64, uri, name }: Block, node: JsonNode): boolean {
  switch (kind) {
    case 'text':
      return text !== null;
    case 'image':
    case 'audio':
      return base64 !== null;
    case 'resource':
      return text !== null || base64 !== null;
    case 'link':
      return uri !== null;
    case 'tool-use':
      return name !== null;
    case 'tool-result':
      return member(node, 'content') !== undefined;
    case 'list':
      return node.kind === 'array' && node.items.length > 0;
    case 'unknown':
      return false;
  }
}

/** A text, or as much as is here of one that was cut off. */
function textOf(node: JsonNode | undefined): Text | null {
  if (node?.kind === 'string') return { text: node.value, cut: false };
  if (node?.kind !== 'raw' || !node.text.startsWith('"')) return null;
  // The cut may have gone through an escape, which is at most six characters long, or two of them together.
  for (let end = node.text.length; end > 0 && end >= node.text.length - 12; end -= 1) {
    try {
      const value: unknown = JSON.parse(`${node.text.slice(0, end)}"`);
      if (typeof value === 'string') return { text: value, cut: true };
    } catch {
      // Not yet in front of the escape.
    }
  }
  return null;
}

function isText(node: JsonNode | undefined): boolean {
  return node?.kind === 'string' || (node?.kind === 'raw' && node.text.startsWith('"'));
}

function numberOf(node: JsonNode | undefined): string | null {
  return node?.kind === 'number' ? node.text : null;
}

function claimsOf(annotations: JsonNode | undefined): Block['claims'] {
  const audience = member(annotations, 'audience');
  const whom = audience?.kind === 'array' ? audience.items.map(words).join(', ') : words(audience);
  return [
    { name: 'for', value: whom },
    { name: 'priority', value: words(member(annotations, 'priority')) },
    { name: 'last modified', value: words(member(annotations, 'lastModified')) },
  ].filter(({ value }) => value !== '');
}

function words(node: JsonNode | undefined): string {
  if (node === undefined || node.kind === 'object' || node.kind === 'array') return '';
  return node.kind === 'string' ? node.value : node.text;
}
