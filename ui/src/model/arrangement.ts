import type { Arrangement, Layer, ServerSummary } from '../backend/bindings';

/**
 * What stands together in the list: the groups that a person made, then the servers of no group by the layer of
 * their file, nearest first.
 */
export type Section =
  | { key: string; kind: 'group'; title: string; servers: ServerSummary[] }
  | { key: string; kind: 'layer'; layer: Layer; title: string; servers: ServerSummary[] };

export const layerWords: Record<Layer, string> = {
  typed: 'typed',
  project: 'project',
  ancestor: 'folder above',
  global: 'global',
  'built-in': 'built in',
};

const nearestFirst: Layer[] = ['typed', 'project', 'ancestor', 'global', 'built-in'];

export function sections(servers: ServerSummary[], arrangement: Arrangement): Section[] {
  const places = new Map(
    arrangement.groups.flatMap((group) => group.servers).map((id, place) => [id, place] as const),
  );
  const ordered = servers
    .map((server, place) => ({ server, place: places.get(server.id) ?? places.size + place }))
    .sort((one, other) => one.place - other.place)
    .map(({ server }) => server);
  const groupOf = new Map(
    arrangement.groups.flatMap((group) => group.servers.map((id) => [id, group.name] as const)),
  );
  const grouped = (server: ServerSummary): string => groupOf.get(server.id) ?? '';
  const names = [...new Set(arrangement.groups.map((group) => group.name))].filter((name) => name !== '');
  return [
    ...names.map((name): Section => ({
      key: `group:${name}`,
      kind: 'group',
      title: name,
      servers: ordered.filter((server) => grouped(server) === name),
    })),
    ...nearestFirst.map((layer): Section => ({
      key: `layer:${layer}`,
      kind: 'layer',
      layer,
      title: layerWords[layer],
      servers: ordered.filter((server) => grouped(server) === '' && server.origin.layer === layer),
    })),
  ].filter((section) => section.servers.length > 0);
}

/** As it is written down: no empty group, and one without a name for all the others. */
export function arrangementOf(all: Section[]): Arrangement {
  const ids = (section: Section): string[] => section.servers.map((server) => server.id);
  const named = all.filter((section) => section.kind === 'group' && section.servers.length > 0);
  const others = all.filter((section) => section.kind === 'layer').flatMap(ids);
  return {
    groups: [
      ...named.map((section) => ({ name: section.title, servers: ids(section) })),
      ...(others.length > 0 ? [{ name: '', servers: others }] : []),
    ],
  };
}

/**
 * One place up or down. At the end of a group a server goes on into the next one, and out of the last group into its
 * layer; where there is nowhere to go nothing is said.
 */
export function moved(all: Section[], id: string, step: -1 | 1): Arrangement | null {
  const at = all.findIndex((section) => section.servers.some((server) => server.id === id));
  const section = all[at];
  if (section === undefined) return null;
  const place = section.servers.findIndex((server) => server.id === id);
  const to = place + step;
  if (to >= 0 && to < section.servers.length) return placed(all, id, section.key, to);
  const next = all[at + step];
  if (next?.kind === 'group') return placed(all, id, next.key, step === 1 ? 0 : next.servers.length);
  return section.kind === 'group' && step === 1 ? grouped(all, id, '') : null;
}

/** Into a section, at a place. A layer takes only its own: where a server is written down is not for moving. */
export function placed(all: Section[], id: string, key: string, place: number): Arrangement | null {
  const server = all.flatMap((section) => section.servers).find((each) => each.id === id);
  const target = all.find((section) => section.key === key);
  if (server === undefined || target === undefined) return null;
  if (target.kind === 'layer' && target.layer !== server.origin.layer) return null;
  return arrangementOf(
    all.map((section) => {
      const rest = section.servers.filter((each) => each.id !== id);
      return { ...section, servers: section.key === key ? rest.toSpliced(place, 0, server) : rest };
    }),
  );
}

/** At the end of the group of that name, which is made where there is none; no name is no group. */
export function grouped(all: Section[], id: string, name: string): Arrangement | null {
  const server = all.flatMap((section) => section.servers).find((each) => each.id === id);
  if (server === undefined) return null;
  const without = all.map((section) => ({
    ...section,
    servers: section.servers.filter((each) => each.id !== id),
  }));
  const groups = without.filter((section) => section.kind === 'group');
  const layers = without.filter((section) => section.kind === 'layer');
  if (name === '')
    return arrangementOf([
      ...groups,
      { key: '', kind: 'layer', layer: server.origin.layer, title: '', servers: [server] },
      ...layers,
    ]);
  const known = groups.some((section) => section.title === name);
  const into = groups.map((section) =>
    section.title === name ? { ...section, servers: [...section.servers, server] } : section,
  );
  return arrangementOf([
    ...into,
    ...(known ? [] : [{ key: '', kind: 'group' as const, title: name, servers: [server] }]),
    ...layers,
  ]);
}

/** Another name for a group; one that another group has makes one of the two. No name dissolves it. */
export function renamed(all: Section[], from: string, to: string): Arrangement {
  const members = all.find((section) => section.kind === 'group' && section.title === from)?.servers ?? [];
  const taken = all.some((section) => section.kind === 'group' && section.title === to);
  if (from === to) return arrangementOf(all);
  if (to === '' || taken) {
    const rest = all.filter((section) => !(section.kind === 'group' && section.title === from));
    return arrangementOf(
      to === ''
        ? [
            ...rest,
            ...members.map((server): Section => ({
              key: '',
              kind: 'layer',
              layer: server.origin.layer,
              title: '',
              servers: [server],
            })),
          ]
        : rest.map((section) =>
            section.kind === 'group' && section.title === to
              ? { ...section, servers: [...section.servers, ...members] }
              : section,
          ),
    );
  }
  return arrangementOf(
    all.map((section) =>
      section.kind === 'group' && section.title === from ? { ...section, title: to } : section,
    ),
  );
}

/** A whole group one place up or down among the groups. */
export function groupMoved(all: Section[], name: string, step: -1 | 1): Arrangement | null {
  const groups = all.filter((section) => section.kind === 'group');
  const at = groups.findIndex((section) => section.title === name);
  const group = groups[at];
  const to = at + step;
  if (group === undefined || to < 0 || to >= groups.length) return null;
  const order = groups.toSpliced(at, 1).toSpliced(to, 0, group);
  return arrangementOf([...order, ...all.filter((section) => section.kind === 'layer')]);
}
