import { describe, expect, it } from 'vitest';
import type { ApiError, ServerDetail, ServerList } from '../backend/bindings';
import { groupByLayer, Servers } from './servers.svelte';
import { server, Stub, type Answers } from './stub';

const list: ServerList = {
  servers: [
    server({ id: 'demo', origin: { layer: 'built-in', file: null } }),
    server({ id: 'files', origin: { layer: 'project', file: '.mcp.json' } }),
    server({ id: 'search', origin: { layer: 'global', file: 'servers.json' }, state: 'starting' }),
  ],
  problems: [],
};
const describeServer: Answers['describe_server'] = ({ server: id }) => ({ exit: `of ${id}` }) as ServerDetail;
const core = (answers: Answers = {}) =>
  new Stub({ list_servers: () => list, describe_server: describeServer, ...answers });

describe('the list of servers', () => {
  it('has the nearest layer first and no empty one', () => {
    expect(
      groupByLayer(list.servers).map((group) => [group.title, group.servers.map((each) => each.id)]),
    ).toEqual([
      ['PROJECT', ['files']],
      ['GLOBAL', ['search']],
      ['BUILT IN', ['demo']],
    ]);
    expect(groupByLayer(list.servers.slice(0, 1))).toHaveLength(1);
  });

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
});
