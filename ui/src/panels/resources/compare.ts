import { count } from '../../components/format';
import { member, readJson, stringOf, type JsonNode } from '../../json/read';
import { pretty } from '../../json/write';
import { readBlock } from '../content/block';

/** The entries of `contents`; none where the answer has no such array. */
export function contentsOf(result: JsonNode): JsonNode[] | null {
  const contents = member(result, 'contents');
  return contents?.kind === 'array' ? contents.items : null;
}

/**
 * What was read, as lines that can be compared: texts as they are, JSON written the same way whoever wrote it, bytes by how
 * many they are and a sum that tells them apart.
 */
export function comparable(text: string): string {
  const result = readJson(text).value;
  const contents = contentsOf(result);
  if (contents === null) return pretty(result);
  return contents
    .map((entry) => (contents.length === 1 ? bodyOf(entry) : `${headOf(entry)}\n${bodyOf(entry)}`))
    .join('\n\n');
}

function headOf(entry: JsonNode): string {
  return [member(entry, 'uri'), member(entry, 'mimeType')]
    .map((each) => stringOf(each))
    .filter((each) => each !== null)
    .join(' · ');
}

function bodyOf(entry: JsonNode): string {
  // A text that was cut off is compared as far as it is here.
  const text = readBlock(entry).text?.text ?? null;
  if (text !== null) return isJson(entry, text) ? pretty(readJson(text).value) : text;
  const blob = stringOf(member(entry, 'blob'));
  if (blob === null) return pretty(entry);
  return `${count(bytesOf(blob))} bytes, sum ${sumOf(blob)}`;
}

/** By what it is said to be or looks like, and only if all of it is: a part of it would be compared as something else. */
function isJson(entry: JsonNode, text: string): boolean {
  const mime = stringOf(member(entry, 'mimeType'));
  if (mime !== null && !/[/+]json\b/.test(mime)) return false;
  return /^\s*[[{]/.test(text) && readJson(text).problem === null;
}

/** How many bytes a base64 text stands for. */
export function bytesOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

/** FNV-1a: enough to see that two are not the same. */
function sumOf(text: string): string {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return (sum >>> 0).toString(16).padStart(8, '0');
}
