import { member, readJson, type JsonNode } from '../../json/read';

/** Whether a server declared a capability, by the way to it; null while it has declared nothing at all. */
export function declared(capabilities: string | null, way: string[]): boolean | null {
  if (capabilities === null) return null;
  const found = way.reduce<JsonNode | undefined>(member, readJson(capabilities).value);
  return found !== undefined && !(found.kind === 'literal' && found.text !== 'true');
}
