import type { Arrangement, Commands, ErrorCode, Hit, SecretState, ServerSummary } from './bindings';
import { fakeArrangement, fakeDraft, fakeFiles, fakeReport } from './fake-configuration';
import { fakeExamination, fakeSecrets } from './fake-doctor';
import { fakeExport, fakeFound, fakeOffer, fakeShapes } from './fake-import';
import { fakeDetail, fakeTools } from './fake-servers';
import { summary } from './fake-summary';

/** What the registry needs of the fake around it. */
export type World = {
  servers: ServerSummary[];
  empty: boolean;
  tools: number;
  find: (id: string) => ServerSummary;
  fail: (code: ErrorCode, message: string) => never;
  /** The list of servers is another one now. */
  changed: (servers: ServerSummary[]) => void;
};

type Written =
  | 'examine_server'
  | 'list_files'
  | 'read_draft'
  | 'check_draft'
  | 'save_draft'
  | 'duplicate_server'
  | 'enable_server'
  | 'remove_server'
  | 'arrange_servers'
  | 'dismiss_difference'
  | 'find_clients'
  | 'hand_over'
  | 'read_offer'
  | 'import_servers'
  | 'list_shapes'
  | 'export_servers'
  | 'list_secrets'
  | 'set_secret'
  | 'search_entries';

/** Servers written down, brought in, examined and found, in the memory of the fake. */
export class FakeRegistry {
  arrangement: Arrangement;
  private readonly secrets = new Map<string, SecretState[]>(Object.entries(structuredClone(fakeSecrets)));

  constructor(private readonly world: World) {
    this.arrangement = world.empty ? { groups: [] } : fakeArrangement;
  }

  missing(server: string): SecretState[] {
    return (this.secrets.get(server) ?? []).filter((secret) => !secret.known);
  }

  commands(): { [C in Written]: (request: Commands[C][0]) => Commands[C][1] | Promise<Commands[C][1]> } {
    const { world } = this;
    return {
      examine_server: async ({ server }) => {
        const examination = fakeExamination(world.find(server));
        await new Promise((resolve) => setTimeout(resolve, 900));
        return examination;
      },
      list_files: () => ({ files: world.empty ? [] : fakeFiles }),
      read_draft: ({ server }) => {
        const found = world.find(server);
        return fakeDraft(found, fakeDetail(found).launch);
      },
      check_draft: (draft) => fakeReport(draft, []),
      save_draft: ({ draft, replaces, target }) => {
        const id = draft.name.replaceAll(/[^\w.-]+/g, '-');
        const file = target === 'global' ? '~/.config/sonde/servers.json' : '~/shop/.mcp.json';
        if (id !== replaces && world.servers.some((each) => each.id === id))
          world.fail('conflict', `there is a server \`${id}\` already`);
        const kept = world.servers.find((each) => each.id === replaces);
        const saved = {
          ...(kept ?? summary({ id, state: 'stopped', origin: { layer: target, file } })),
          id,
          name: draft.name,
          enabled: draft.enabled,
          auto_start: draft.auto_start,
          transport: draft.reach.kind === 'url' ? 'http' : 'stdio',
        };
        world.changed(
          kept === undefined
            ? [...world.servers, saved]
            : world.servers.map((each) => (each === kept ? saved : each)),
        );
        return { server: id, file, notices: [] };
      },
      duplicate_server: ({ server }) => {
        const found = world.find(server);
        const id = `${server}-2`;
        world.changed([
          ...world.servers,
          { ...found, id, name: id, state: 'stopped', problem: null, retry: null },
        ]);
        return { server: id, file: '~/shop/.mcp.json', notices: [] };
      },
      enable_server: ({ server, enabled }) => {
        world.changed(world.servers.map((each) => (each.id === server ? { ...each, enabled } : each)));
        return { server, file: '~/shop/.mcp.json', notices: [] };
      },
      remove_server: ({ server }) => {
        world.changed(world.servers.filter((each) => each.id !== server));
        return {};
      },
      arrange_servers: (arrangement) => {
        this.arrangement = arrangement;
        world.changed(world.servers);
        return {};
      },
      dismiss_difference: ({ server }) => {
        world.changed(world.servers.map((each) => (each.id === server ? { ...each, changed: false } : each)));
        return {};
      },
      find_clients: () => (world.empty ? { files: [], looked: fakeFound.looked } : fakeFound),
      hand_over: ({ handed }) => ({ handed: handed ?? '1' }),
      read_offer: ({ text }) => fakeOffer(text, world.servers),
      import_servers: ({ source, choices, target }) => {
        const file = target === 'global' ? '~/.config/sonde/servers.json' : '~/shop/.mcp.json';
        const ids = choices.map((choice) => choice.rename ?? choice.name);
        world.changed([
          ...world.servers.filter((each) => !ids.includes(each.id)),
          ...ids.map((id) => summary({ id, state: 'stopped', origin: { layer: target, file } })),
        ]);
        return {
          servers: ids,
          file,
          notices: source.kind === 'file' ? ['1 secret was moved to the keyring'] : [],
        };
      },
      list_shapes: () => ({ shapes: fakeShapes }),
      export_servers: ({ servers, shape }) =>
        fakeExport(servers ?? world.servers.map((each) => each.id), shape),
      list_secrets: ({ server }) => ({
        keeper: { kind: 'keyring', notice: null },
        secrets: this.secrets.get(server) ?? [],
      }),
      set_secret: ({ server, kind, name, value }) => {
        const states = this.secrets.get(server) ?? [];
        this.secrets.set(
          server,
          states.map((each) =>
            each.kind === kind && each.name === name ? { ...each, known: value !== undefined } : each,
          ),
        );
        return {};
      },
      search_entries: ({ query, limit }) => {
        const words = query.toLowerCase().split(/\s+/).filter(Boolean);
        const hits = this.hits().filter((hit) => {
          const hay = `${hit.name} ${hit.title ?? ''} ${hit.server}`.toLowerCase();
          return words.every((word) => hay.includes(word));
        });
        return { hits: hits.slice(0, limit), total: hits.length };
      },
    };
  }

  private hits(): Hit[] {
    return this.world.servers.flatMap((server): Hit[] => [
      { kind: 'server', server: server.id, name: server.name, title: null, full_name: null },
      ...(server.state === 'ready'
        ? fakeTools(server.id, this.world.tools).map(({ summary: tool }): Hit => ({
            kind: 'tool',
            server: server.id,
            name: tool.name,
            title: tool.title,
            full_name: `mcp:${server.id}.${tool.name}`,
          }))
        : []),
      ...(server.id === 'demo'
        ? ([
            ['resource', 'demo://notes/today', 'Notes of today'],
            ['template', 'demo://notes/{day}', 'Notes of a day'],
            ['prompt', 'summarise', 'Summarise a text'],
          ] as const)
        : []
      ).map(([kind, name, title]): Hit => ({ kind, server: server.id, name, title, full_name: null })),
    ]);
  }
}
