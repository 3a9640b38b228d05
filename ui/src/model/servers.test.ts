import { describe, expect, it } from 'vitest';
import type { ApiError, ServerDetail, ServerSummary } from '../backend/bindings';
import { Servers } from './servers.svelte';
import { server, serverList, Stub, type Answers } from './stub';

const list = serverList([
  server({ id: 'demo', origin: { layer: 'built-in', file: null } }),
  server({ id: 'files', origin: { layer: 'project', file: '.mcp.json' } }),
  server({ id: 'search', origin: { layer: 'global', file: 'servers.json' }, state: 'starting' }),
]);
const describeServer: Answers['describe_server'] = ({ server: id }) => ({ exit: `of ${id}` }) as ServerDetail;
const core = (answers: Answers = {}) =>
  new Stub({ list_servers: () => list, describe_server: describeServer, ...answers });

describe('the list of servers', () => {
  it('starts with the built-in server, or with the one of last time', async () => {
    const fresh = new Servers(core());
    (await fresh.prepare(1))();
    expect(fresh.selected).toBe('demo');
    const again = new Servers(core(), 'files');
    (await again.prepare(1))();
    expect(again.selected).toBe('files');
    expect(again.detail?.exit).toBe('of files');
    const gone = new Servers(core(), 'no longer there');
    (await gone.prepare(1))();
    expect(gone.selected).toBe('demo');
  });

  it('is fetched only when its revision changed', async () => {
    const stub = core();
    const servers = new Servers(stub);
    for (const revision of [1, 1, 2]) (await servers.prepare(revision))();
    expect(stub.requests('list_servers')).toHaveLength(2);
  });

  it('keeps what the person chose while an older answer was on its way', async () => {
    const servers = new Servers(core());
    (await servers.prepare(1))();
    const apply = await servers.prepare(2);
    await servers.select('files');
    apply();
    expect(servers.selected).toBe('files');
    expect(servers.detail?.exit, 'the detail belongs to the selection').toBe('of files');
  });

  it('knows whether a server is still starting', async () => {
    const servers = new Servers(core());
    expect(servers.starting).toBe(false);
    (await servers.prepare(1))();
    expect(servers.starting).toBe(true);
  });

  it('says why a connect was refused', async () => {
    const refused: ApiError = {
      code: 'approval-denied',
      title: 'Not approved',
      message: 'no',
      hint: null,
      chain: [],
      context: [],
    };
    const servers = new Servers(core({ connect_server: () => Promise.reject(refused) }));
    await servers.connect('files');
    expect(servers.refusal).toEqual({ server: 'files', error: refused });
  });

  it('shows an arrangement at once, and as it was where it is refused', async () => {
    const wanted = { groups: [{ name: 'Work', servers: ['search'] }] };
    let answer: () => Promise<Record<string, never>> = () => Promise.resolve({});
    const servers = new Servers(core({ arrange_servers: () => answer() }));
    (await servers.prepare(1))();
    const done = servers.arrange(wanted);
    expect(servers.sections[0]?.title).toBe('Work');
    expect(await done).toBeNull();
    answer = () => Promise.reject(new Error('the disk is full'));
    const refused = await servers.arrange({ groups: [] });
    expect(refused?.message).toBe('the disk is full');
    expect(servers.sections[0]?.title).toBe('Work');
  });
});

describe('a server that is connected again', () => {
  const world = (states: ServerSummary['state'][]) => {
    let at = 0;
    const stub = core({
      list_servers: () => serverList([server({ id: 'files', state: states[at++] ?? 'ready' })]),
      connect_server: () => ({}),
      disconnect_server: () => ({}),
    });
    return { stub, servers: new Servers(stub) };
  };
  const commands = (stub: Stub) =>
    stub.asked.map((each) => each.command).filter((command) => command.endsWith('connect_server'));

  it('waits until it has stopped', async () => {
    const { stub, servers } = world(['ready', 'stopping', 'stopped']);
    (await servers.prepare(1))();
    await servers.reconnect('files');
    (await servers.prepare(2))();
    expect(commands(stub)).toEqual(['disconnect_server']);
    (await servers.prepare(3))();
    expect(commands(stub)).toEqual(['disconnect_server', 'connect_server']);
  });

  it('stays disconnected if the person says so in the meantime', async () => {
    const { stub, servers } = world(['ready', 'stopping', 'stopped']);
    (await servers.prepare(1))();
    await servers.reconnect('files');
    (await servers.prepare(2))();
    await servers.disconnect('files');
    (await servers.prepare(3))();
    expect(commands(stub)).not.toContain('connect_server');
  });
});
