import { describe, expect, it } from 'vitest';
import type { Changes, ServerDetail, ToolDetail, ToolList, ToolSummary } from '../backend/bindings';
import { Session } from './session.svelte';
import { call, row, server, serverList, Stub, type Answers } from './stub';

const tool = (index: number, name: string) => ({
  index,
  name,
  title: null,
  description: `About ${name}`,
  hints: { read_only: null, destructive: null, idempotent: null, open_world: null },
  task: null,
  icon: null,
  change: null,
  pinned: false,
  problem: null,
});
const tools: ToolList = {
  tools: [tool(0, 'add'), tool(1, 'slow')],
  gone: [],
  catalog_revision: 1,
  complete: true,
  problem: null,
};

const described = (summary: ToolSummary, name = summary.name): ToolDetail =>
  ({ summary, name }) as ToolDetail;

/** Gives the changes one after the other, then waits until the session is stopped. */
function world(changes: Partial<Changes>[], answers: Answers = {}) {
  const stop = new AbortController();
  const left = [...changes];
  const stub = new Stub({
    wait_changes: () => {
      const next = left.shift();
      const base = {
        revision: 1,
        log_total: 1,
        log_bytes: 9,
        log_lost: 0,
        recording_problem: null,
        servers_revision: 1,
        questions_revision: 0,
        calls: [],
      };
      if (next !== undefined) return { ...base, ...next };
      stop.abort();
      return { ...base, revision: 99 };
    },
    list_servers: () => serverList([server({ id: 'demo' })]),
    describe_server: () => ({ exit: null }) as ServerDetail,
    list_tools: () => tools,
    describe_tool: ({ index }) => described(tools.tools[index]!),
    list_calls: () => ({ calls: [call(3, 'running')] }),
    read_call: () => call(3, 'ok'),
    query_log: () => ({ total: 1, first: 0, rows: [row(1)] }),
    report_ready: () => ({}),
    ...answers,
  });
  const session = new Session(stub);
  return { stub, session, run: () => session.run(stop.signal, () => Promise.resolve()) };
}

describe('a session', () => {
  it('shows everything of a revision before it says so', async () => {
    const { session, run } = world([{ revision: 7, log_bytes: 41 }]);
    await run();
    expect(session.revision).toBe(7);
    expect(session.servers.selected).toBe('demo');
    expect(session.tools.current?.name).toBe('add');
    expect(session.calls.list).toHaveLength(1);
    expect(session.log.row(0)?.seq).toBe(1);
    expect(session.recording).toMatchObject({ rows: 1, bytes: 41 });
  });

  it('asks for changes since the last revision it applied', async () => {
    const { stub, run } = world([{ revision: 4 }, { revision: 9 }]);
    await run();
    expect(stub.requests('wait_changes').map((request) => request.since)).toEqual([0, 4, 9]);
  });

  it('rereads the calls that changed, if it knows them', async () => {
    const { stub, session, run } = world([{ revision: 1 }, { revision: 2, calls: [3, 44] }]);
    await run();
    expect(stub.requests('read_call')).toEqual([{ call: 3 }]);
    expect(session.calls.shown?.status).toBe('ok');
  });

  it('knows the calls of a tool by its whole name, which a list may not have', async () => {
    const whole = 'x'.repeat(600);
    const cut = tool(1, `${whole.slice(0, 500)}… (100 more bytes are in the log)`);
    const { stub, session, run } = world([{ revision: 1 }], {
      list_tools: () => ({ ...tools, tools: [tool(0, 'add'), cut] }),
      describe_tool: ({ index }) => (index === 1 ? described(cut, whole) : described(tool(0, 'add'))),
    });
    await run();
    await session.selectTool(1);
    expect(stub.requests('list_calls').map(({ target }) => target)).toEqual(['add', whole]);
  });

  it('fetches tools again only when their catalog changed', async () => {
    let revision = 1;
    const { stub, run } = world(
      [{ revision: 1 }, { revision: 2, servers_revision: 2 }, { revision: 3, servers_revision: 3 }],
      {
        list_servers: () => serverList([server({ id: 'demo', catalog_revision: revision++ < 3 ? 1 : 2 })]),
      },
    );
    await run();
    expect(stub.requests('list_tools')).toHaveLength(2);
  });

  it('reports ready once, and not while a server is starting', async () => {
    let state: 'starting' | 'ready' = 'starting';
    const { stub, run } = world(
      [{ revision: 1 }, { revision: 2, servers_revision: 2 }, { revision: 3, servers_revision: 3 }],
      {
        list_servers: () => {
          const servers = [server({ id: 'demo', state })];
          state = 'ready';
          return serverList(servers);
        },
      },
    );
    await run();
    const commands = stub.asked.map((each) => each.command);
    expect(commands.filter((command) => command === 'report_ready')).toHaveLength(1);
    expect(commands.indexOf('report_ready')).toBeGreaterThan(commands.indexOf('list_tools'));
  });

  it('finds tools by name, title or description', async () => {
    const { session, run } = world([{}]);
    await run();
    session.tools.filter = 'ABOUT sl';
    expect(session.tools.shown.map((each) => each.name)).toEqual(['slow']);
    session.tools.filter = 'nothing like it';
    expect(session.tools.shown).toEqual([]);
  });
});

describe('a server without tools', () => {
  const listed = async (list: ToolList) => {
    const { session, run } = world([{}], { list_tools: () => list });
    await run();
    return session.tools;
  };

  it('is said to have none once its list is complete', async () => {
    expect(
      (await listed({ tools: [], gone: [], catalog_revision: 1, complete: true, problem: null })).none,
    ).toBe(true);
    expect((await listed(tools)).none).toBe(false);
  });

  it('is not said to have none when they could not be listed or are still arriving', async () => {
    const failed = await listed({
      tools: [],
      gone: [],
      catalog_revision: 1,
      complete: true,
      problem: 'page 2 did not arrive',
    });
    expect(failed.none).toBe(false);
    expect(failed.problem).toBe('page 2 did not arrive');
    expect(
      (await listed({ tools: [], gone: [], catalog_revision: 1, complete: false, problem: null })).none,
    ).toBe(false);
  });
});

describe('a server that goes', () => {
  it('leaves its tools and calls in sight, and they are listed anew when it is back', async () => {
    const states = ['ready', 'failed', 'ready'] as const;
    let at = 0;
    const seen: number[] = [];
    const { stub, session, run } = world(
      [1, 2, 3].map((revision) => ({ revision, servers_revision: revision })),
      {
        list_servers: () => {
          seen.push(session.tools.list.length);
          return serverList([server({ id: 'demo', state: states[at++] ?? 'ready' })]);
        },
      },
    );
    await run();
    expect(seen, 'nothing at first, then all of them, also while it is gone').toEqual([0, 2, 2]);
    expect(stub.requests('list_tools')).toHaveLength(2);
    expect(session.calls.list).toHaveLength(1);
  });
});
