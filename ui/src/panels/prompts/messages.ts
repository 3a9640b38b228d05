import { member, stringOf, type JsonNode } from '../../json/read';
import { compact } from '../../json/write';
import { bytes } from '../../components/format';

/** One message of a prompt: nothing in it is believed to have the right type. */
export type Message = { role: string; content: JsonNode | null; pointer: string };

/** The messages of a result, in their order. What is none is shown as the JSON that it is. */
export function messagesOf(result: JsonNode): Message[] {
  const messages = member(result, 'messages');
  if (messages?.kind !== 'array') return [];
  return messages.items.map((item, place) => {
    const content = member(item, 'content');
    const role = member(item, 'role');
    const said = stringOf(role) ?? (role === undefined ? '' : compact(role));
    if (item.kind !== 'object') return { role: '', content: item, pointer: `/messages/${place}` };
    return { role: said, content: content ?? null, pointer: `/messages/${place}/content` };
  });
}

/** A role as a shape and a word; one that prompts do not have is shown as it is. */
export function roleMark(role: string): { glyph: string; word: string; known: boolean } {
  if (role === 'user') return { glyph: '○', word: 'user', known: true };
  if (role === 'assistant') return { glyph: '◆', word: 'assistant', known: true };
  return { glyph: '?', word: role === '' ? 'no role' : role, known: false };
}

/** The whole conversation as plain text, each message under its role. */
export function transcript(result: JsonNode): string {
  return messagesOf(result)
    .map(
      ({ role, content }) => `${roleMark(role).word}:\n${content === null ? '(no content)' : plain(content)}`,
    )
    .join('\n\n');
}

function plain(content: JsonNode): string {
  if (content.kind === 'array') return content.items.map(plain).join('\n');
  if (content.kind === 'string') return content.value;
  const resource = member(content, 'resource');
  const text = stringOf(member(content, 'text'));
  if (text !== null) return text;
  const inner = stringOf(member(resource, 'text'));
  const uri = stringOf(member(content, 'uri')) ?? stringOf(member(resource, 'uri'));
  if (inner !== null) return `[${uri ?? 'resource'}]\n${inner}`;
  const data = stringOf(member(content, 'data')) ?? stringOf(member(resource, 'blob'));
  const mime = stringOf(member(content, 'mimeType')) ?? stringOf(member(resource, 'mimeType'));
  const type = stringOf(member(content, 'type'));
  if (data !== null) {
    const size = bytes(Math.floor((data.length * 3) / 4));
    return `[${[type ?? 'data', mime, uri, size].filter(Boolean).join(', ')}]`;
  }
  if (type === 'resource_link' && uri !== null) return `[link: ${uri}]`;
  return compact(content);
}
