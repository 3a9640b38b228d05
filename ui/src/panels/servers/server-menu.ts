import type { Exported, ServerSummary, Shape } from '../../backend/bindings';
import type { MenuItem } from '../../components/menu';
import { groupMoved, grouped, moved, renamed, type Section } from '../../model/arrangement';
import type { Session } from '../../model/session.svelte';

/** What a menu can't do by itself: ask, copy, and let a name be typed. */
export type Hands = {
  remove: (server: ServerSummary) => void;
  rename: (group: string) => void;
  copy: (what: string, exported: Promise<Exported | null>) => void;
};

/** Everything that can be done with one server. */
export function serverMenu(session: Session, server: ServerSummary, hands: Hands): MenuItem[] {
  const { deeds, servers, stage, doctor } = session;
  const live = server.state === 'ready' || server.state === 'starting' || server.retry !== null;
  const written = server.origin.layer !== 'built-in' && server.origin.layer !== 'typed';
  const item = (id: string, label: string, run: () => void, part: Partial<Item> = {}): MenuItem => ({
    kind: 'item',
    id,
    label,
    run,
    ...part,
  });
  return [
    live
      ? item(
          'disconnect',
          server.retry === null ? 'Disconnect' : 'Stop trying',
          () => void servers.disconnect(server.id),
        )
      : item('connect', 'Connect', () => void connect(session, server.id), {
          disabled: !server.enabled || server.state === 'stopping' || server.flaw?.severity === 'error',
        }),
    ...(live ? [item('reconnect', 'Reconnect', () => void servers.reconnect(server.id))] : []),
    item('doctor', 'Doctor', () => {
      void session.select(server.id);
      stage.showTab(server.id, 'doctor');
      void doctor.examine(server.id);
    }),
    { kind: 'line', id: 'line-1' },
    ...(written
      ? [
          item('edit', 'Edit', () => void deeds.edit(server.id), { hint: 'F2' }),
          item('duplicate', 'Duplicate', () => void duplicate(session, server.id)),
          server.enabled
            ? item('disable', 'Disable', () => void deeds.enable(server.id, false))
            : item('enable', 'Enable', () => void deeds.enable(server.id, true)),
        ]
      : []),
    { kind: 'more', id: 'copy', label: 'Copy for', items: () => copies(session, [server.id], hands) },
    { kind: 'line', id: 'line-2' },
    { kind: 'more', id: 'group', label: 'Move to group', items: () => groups(session, server, hands) },
    item('up', 'Move up', () => arrange(session, moved(servers.sections, server.id, -1)), { hint: 'Alt ↑' }),
    item('down', 'Move down', () => arrange(session, moved(servers.sections, server.id, 1)), {
      hint: 'Alt ↓',
    }),
    ...(written
      ? [
          { kind: 'line', id: 'line-3' } as const,
          item('remove', 'Remove…', () => hands.remove(server), { tone: 'danger', hint: 'Del' }),
        ]
      : []),
  ];
}

/** What can be done with all of them. */
export function panelMenu(session: Session, hands: Hands): MenuItem[] {
  const { deeds, servers, stage } = session;
  return [
    {
      kind: 'item',
      id: 'disconnect-all',
      label: 'Disconnect all',
      hint: servers.connected > 0 ? `${servers.connected} connected` : 'none is connected',
      disabled: servers.connected === 0,
      run: () => void deeds.disconnectAll(),
    },
    { kind: 'line', id: 'line-1' },
    { kind: 'item', id: 'files', label: 'Configuration files', run: () => (stage.room = 'files') },
    { kind: 'more', id: 'copy', label: 'Copy all for', items: () => copies(session, null, hands) },
  ];
}

export function groupMenu(session: Session, section: Section, hands: Hands): MenuItem[] {
  const all = session.servers.sections;
  return [
    { kind: 'item', id: 'rename', label: 'Rename', hint: 'F2', run: () => hands.rename(section.title) },
    {
      kind: 'item',
      id: 'up',
      label: 'Move up',
      hint: 'Alt ↑',
      run: () => arrange(session, groupMoved(all, section.title, -1)),
    },
    {
      kind: 'item',
      id: 'down',
      label: 'Move down',
      hint: 'Alt ↓',
      run: () => arrange(session, groupMoved(all, section.title, 1)),
    },
    { kind: 'line', id: 'line-1' },
    {
      kind: 'item',
      id: 'ungroup',
      label: 'Ungroup',
      run: () => arrange(session, renamed(all, section.title, '')),
    },
  ];
}

type Item = Extract<MenuItem, { kind: 'item' }>;

export function arrange(session: Session, arrangement: ReturnType<typeof moved>): void {
  if (arrangement === null) return;
  void session.servers.arrange(arrangement).then((refused) => {
    if (refused !== null) session.notices.fail(refused);
  });
}

/** What comes of it is shown with the server, so that is where one goes. */
async function connect(session: Session, id: string): Promise<void> {
  void session.select(id);
  await session.servers.connect(id);
}

async function duplicate(session: Session, id: string): Promise<void> {
  const copy = await session.deeds.duplicate(id);
  if (copy === null) return;
  await session.select(copy);
  await session.deeds.edit(copy);
}

async function copies(session: Session, servers: string[] | null, hands: Hands): Promise<MenuItem[]> {
  const shapes = await session.deeds.listShapes();
  return shapes.map((shape: Shape): MenuItem => ({
    kind: 'item',
    id: shape.id,
    label: shape.name,
    ...(shape.file === null ? {} : { hint: shape.file.replace(/^.*\//, '') }),
    run: () => hands.copy(shape.name, session.deeds.export(servers, shape.id)),
  }));
}

function groups(session: Session, server: ServerSummary, hands: Hands): MenuItem[] {
  const all = session.servers.sections;
  const names = all.filter((section) => section.kind === 'group').map((section) => section.title);
  const own = all.find((section) => section.servers.some((each) => each.id === server.id));
  const into = (name: string): void => arrange(session, grouped(all, server.id, name));
  const free = ['New group', ...names.map((_, place) => `New group ${place + 2}`)].find(
    (name) => !names.includes(name),
  );
  return [
    ...names.map((name): MenuItem => ({
      kind: 'item',
      id: `group:${name}`,
      label: name,
      ...(own?.kind === 'group' && own.title === name ? { hint: '✓', disabled: true } : {}),
      run: () => into(name),
    })),
    ...(own?.kind === 'group'
      ? [{ kind: 'item', id: 'none', label: 'No group', run: () => into('') } as const]
      : []),
    ...(names.length > 0 ? [{ kind: 'line', id: 'line' } as const] : []),
    {
      kind: 'item',
      id: 'new',
      label: 'New group…',
      run: () => {
        into(free ?? 'New group');
        hands.rename(free ?? 'New group');
      },
    },
  ];
}
