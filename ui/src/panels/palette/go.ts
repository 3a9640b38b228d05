import type { Hit, SavedCall } from '../../backend/bindings';
import { means } from '../../json/beginning';
import type { Entry } from '../../model/palette.svelte';
import type { Session } from '../../model/session.svelte';

/** Goes to what was found: a server, or the place of what it offers. */
export async function goTo(session: Session, hit: Hit): Promise<void> {
  await session.select(hit.server);
  const { stage } = session;
  if (hit.kind === 'tool') {
    stage.showTab(hit.server, 'tools');
    const tool = session.tools.list.find((each) => means(each.name, hit.name));
    if (tool !== undefined) await session.selectTool(tool.index);
  } else if (hit.kind === 'prompt') {
    stage.showTab(hit.server, 'prompts');
    await session.prompts.seek(hit.server, hit.name);
  } else if (hit.kind !== 'server') {
    stage.showTab(hit.server, 'resources');
    await session.resources.seek(hit.server, hit.kind, hit.name);
  }
}

/** Goes to the tool of a saved call, with its arguments in the form. */
async function goToSaved(session: Session, call: SavedCall): Promise<void> {
  session.saved.wanted = call;
  await goTo(session, {
    kind: 'tool',
    server: call.server,
    name: call.target,
    title: null,
    full_name: null,
  });
}

/** What can be done or gone to without asking the core: actions, and the servers by their names. */
export function localEntries(session: Session, help: () => void): Entry[] {
  const { deeds, servers, stage, doctor } = session;
  const current = servers.current;
  const action = (id: string, name: string, about: string, run: () => void): Entry => ({
    id: `action:${id}`,
    kind: 'action',
    name,
    about,
    hit: null,
    run,
  });
  const live =
    current?.state === 'ready' || current?.state === 'starting' || (current?.retry ?? null) !== null;
  return [
    ...servers.list.map((server): Entry => ({
      id: `server:${server.id}`,
      kind: 'server',
      name: server.name,
      about: [server.name === server.id ? '' : server.id, server.state, server.transport]
        .filter(Boolean)
        .join(' · '),
      hit: { kind: 'server', server: server.id, name: server.name, title: null, full_name: null },
      run: null,
    })),
    ...session.saved.calls
      .filter((call) => call.method === 'tools/call')
      .map((call): Entry => ({
        id: `saved:${call.id}`,
        kind: 'saved',
        name: call.name,
        about: `${call.target} · ${call.server}`,
        hit: null,
        run: () => void goToSaved(session, call),
      })),
    action('add', 'Add a server', 'new, by hand', () => deeds.add()),
    action(
      'import',
      'Import servers',
      'from other clients, pasted or dropped',
      () => (stage.room = 'import'),
    ),
    action('files', 'Configuration files', 'layers, what hides what, problems', () => (stage.room = 'files')),
    ...(servers.connected > 0
      ? [
          action(
            'disconnect-all',
            'Disconnect all',
            `${servers.connected} connected`,
            () => void deeds.disconnectAll(),
          ),
        ]
      : []),
    ...(current === null
      ? []
      : [
          live
            ? action(
                'disconnect',
                `Disconnect ${current.name}`,
                '',
                () => void servers.disconnect(current.id),
              )
            : action('connect', `Connect ${current.name}`, '', () => void servers.connect(current.id)),
          action('doctor', `Doctor of ${current.name}`, 'start it for real and see', () => {
            stage.showTab(current.id, 'doctor');
            void doctor.examine(current.id);
          }),
          ...(current.origin.layer === 'built-in' || current.origin.layer === 'typed'
            ? []
            : [
                action(
                  'edit',
                  `Edit ${current.name}`,
                  'command, variables, times',
                  () => void deeds.edit(current.id),
                ),
              ]),
          ...(
            ['overview', 'tools', 'resources', 'prompts', 'tasks', 'logs', 'send', 'settings'] as const
          ).map((tab) =>
            action(`tab-${tab}`, `${tab[0]?.toUpperCase()}${tab.slice(1)} of ${current.name}`, '', () =>
              stage.showTab(current.id, tab),
            ),
          ),
        ]),
    action('help', 'Keyboard shortcuts', '?', help),
  ];
}
