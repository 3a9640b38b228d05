import type { ServerDetail } from '../backend/bindings';
import { member, readJson, type JsonNode } from '../json/read';

/** Whether a server declared a capability, by the way to it; null while nobody knows what it declared. */
export function declares(
  detail: ServerDetail | null,
  server: string | null,
  ...way: string[]
): boolean | null {
  const capabilities = detail?.summary.id === server ? detail.server_capabilities : null;
  if (capabilities === null) return null;
  const found = way.reduce<JsonNode | undefined>(member, readJson(capabilities).value);
  return found !== undefined && !(found.kind === 'literal' && found.text !== 'true');
}
