import type { JsonNode } from '../json/read';
import type { Shape } from './shape';

/**
 * A value on its way from one variant to another. Members that both have stay, and so do those that neither speaks
 * of; what is fixed in the new one is as it is fixed there.
 */
export function inVariant(
  value: JsonNode,
  start: JsonNode,
  before: Shape,
  after: Shape,
  isFixed: (name: string) => boolean,
): JsonNode {
  if (value.kind !== 'object' || start.kind !== 'object' || !after.kinds.includes('object')) return start;
  const kept = value.members.filter(
    ({ key }) => (after.members.has(key) || !before.members.has(key)) && !isFixed(key),
  );
  const names = new Set(kept.map((each) => each.key));
  return { kind: 'object', members: [...start.members.filter((each) => !names.has(each.key)), ...kept] };
}
