import { describe, expect, it } from 'vitest';
import type { ToolChange, ToolDetail, ToolSummary } from '../backend/bindings';
import { server, Stub, type Answers } from './stub';
import { Tools } from './tools.svelte';

const tool = (index: number, name: string, part: Partial<ToolSummary> = {}): ToolSummary => ({
  index,
  name,
  title: null,
  description: null,
  hints: { read_only: null, destructive: null, idempotent: null, open_world: null },
  task: null,
  icon: null,
  change: null,
  pinned: false,
  problem: null,
  ...part,
});
const change: ToolChange = {
  before: '{"name":"b"}',
  after: '{"name":"b","x":1}',
  before_sha256: 'aa',
  after_sha256: 'bb',
  seen: 1,
};

const gone = [
  { name: 'held', pinned: true },
  { name: 'old', pinned: false },
];
const described = (summary: ToolSummary, name = summary.name): ToolDetail =>
  ({ summary, name }) as ToolDetail;

async function world(answers: Answers = {}) {
  const listed = [
    tool(0, 'a'),
    tool(1, 'b', { change: 'changed', pinned: true }),
    tool(2, 'c', { change: 'new' }),
    tool(3, 'b', { change: 'changed' }),
  ];
  const stub = new Stub({
    list_tools: () => ({ tools: listed, gone, catalog_revision: 1, complete: true, problem: null }),
    describe_tool: ({ index }) => described(listed[index]!),
    describe_change: () => change,
    accept_changes: () => ({}),
    pin_tool: () => ({}),
    ...answers,
  });
  const tools = new Tools(stub);
  (await tools.prepare(server({ id: 'demo' })))();
  return { stub, tools };
}

describe('tools that are not what they were', () => {
  it('are counted, and can be looked at alone', async () => {
    const { tools } = await world();
    expect(tools.news).toEqual({ changed: 2, fresh: 1, gone: 2 });
    tools.onlyChanged = true;
    expect(tools.shown.map(({ index }) => index)).toEqual([1, 2, 3]);
    tools.filter = 'C';
    expect(
      tools.shown.map(({ index }) => index),
      'the filter still holds',
    ).toEqual([2]);
  });

  it('are told with what they were, if they were seen before', async () => {
    const { stub, tools } = await world();
    await tools.select(2);
    expect(stub.requests('describe_change'), 'a new one was nothing').toEqual([]);
    await tools.select(1);
    expect(tools.change).toEqual(change);
    expect(stub.requests('describe_change')).toEqual([{ server: 'demo', tool: 'b' }]);
    await tools.select(0);
    expect(tools.change).toBeNull();
  });

  it('can be looked at where nobody knows what they were', async () => {
    const { tools } = await world({
      describe_change: () => {
        throw new Error('not kept');
      },
    });
    await tools.select(1);
    expect(tools.detail?.summary.name).toBe('b');
    expect(tools.detailError).toBeNull();
  });

  it('are as seen once the person says so, every entry of that name', async () => {
    const { stub, tools } = await world();
    await tools.select(1);
    await tools.accept('b');
    expect(stub.requests('accept_changes')).toEqual([{ server: 'demo', tool: 'b', catalog_revision: 1 }]);
    expect(tools.list.map((each) => each.change)).toEqual([null, null, 'new', null]);
    expect(tools.detail?.summary.change).toBeNull();
    expect(tools.change).toBeNull();
    expect(tools.gone, 'that is about one tool').toEqual(gone);
  });

  it('are all as seen at once, and those that are gone are forgotten unless they are pinned', async () => {
    const { tools } = await world();
    tools.onlyChanged = true;
    await tools.accept(null);
    expect(tools.news).toEqual({ changed: 0, fresh: 0, gone: 1 });
    expect(tools.gone).toEqual([{ name: 'held', pinned: true }]);
    expect(tools.shown, 'the list is whole again').toHaveLength(4);
  });

  it('are pinned and let go', async () => {
    const { stub, tools } = await world();
    await tools.select(0);
    await tools.pin('a', true);
    expect(tools.current?.pinned).toBe(true);
    expect(tools.detail?.summary.pinned).toBe(true);
    await tools.pin('a', false);
    expect(tools.current?.pinned).toBe(false);
    expect(stub.requests('pin_tool').map(({ pinned }) => pinned)).toEqual([true, false]);
    await tools.pin('b', false);
    expect(tools.list[1]?.change, 'it is not seen by being let go').toBe('changed');
    await tools.pin('b', true);
    expect(tools.list[1]?.change, 'what is pinned was seen').toBeNull();
  });

  it('that are gone and pinned can be let go', async () => {
    const { stub, tools } = await world();
    await tools.pin('held', false);
    expect(stub.requests('pin_tool')).toEqual([
      { server: 'demo', tool: 'held', pinned: false, catalog_revision: 1 },
    ]);
    expect(tools.gone.map(({ pinned }) => pinned)).toEqual([false, false]);
  });

  it('stay as they are when the core refuses, and it is said why', async () => {
    const { tools } = await world({
      accept_changes: () => {
        throw new Error('the disk is full');
      },
    });
    await tools.accept(null);
    expect(tools.news.changed).toBe(2);
    expect(tools.refusal?.message).toBe('the disk is full');
  });
});

describe('a tool with a name that is too long for a list', () => {
  const whole = 'x'.repeat(600);
  const cut = `${whole.slice(0, 500)}… (100 more bytes are in the log)`;
  const long = tool(0, cut, { change: 'changed' });
  const answers: Answers = {
    list_tools: () => ({
      tools: [tool(1, 'a'), long],
      gone: [],
      catalog_revision: 1,
      complete: true,
      problem: null,
    }),
    describe_tool: ({ index }) => (index === 0 ? described(long, whole) : described(tool(1, 'a'))),
  };

  it('goes by all of it as soon as it is known, and by half of it never', async () => {
    const { stub, tools } = await world(answers);
    const looking = tools.select(0);
    expect(tools.name).toBeNull();
    await looking;
    expect(tools.name).toBe(whole);
    expect(tools.detail?.summary.name, 'whoever calls it takes it from there').toBe(whole);
    expect(stub.requests('describe_change')).toEqual([{ server: 'demo', tool: whole }]);
  });

  it('is found in the list by what was said of all of it', async () => {
    const { tools } = await world(answers);
    await tools.seek('demo', whole);
    expect(tools.current?.index).toBe(0);
    await tools.pin(whole, true);
    expect(tools.list[1]?.pinned).toBe(true);
    expect(tools.detail?.summary).toMatchObject({ name: whole, pinned: true });
  });

  it('can not be asked for where nobody here knows all of it', async () => {
    const endless = `${'x'.repeat(256 * 1024)}… (1 more bytes are in the log)`;
    const { tools } = await world({ ...answers, describe_tool: () => described(long, endless) });
    await tools.select(0);
    expect(tools.detail).toBeNull();
    expect(tools.detailError?.code).toBe('too-large');
  });
});

describe('ten thousand tools', () => {
  it('are filtered well within a frame', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) =>
      tool(index, `generated_tool_${index}`, { description: 'made to be one of many '.repeat(12) }),
    );
    const { tools } = await world({
      list_tools: () => ({ tools: many, gone: [], catalog_revision: 1, complete: true, problem: null }),
      describe_tool: ({ index }) => described(many[index]!),
    });
    tools.filter = 'x';
    void tools.shown.length;
    const start = performance.now();
    for (const filter of ['t', 'to', 'too', 'tool', 'tool 9', 'tool 99', 'tool 999', 'tool 9999']) {
      tools.filter = filter;
      expect(tools.shown.length).toBeGreaterThan(0);
    }
    expect((performance.now() - start) / 8, 'milliseconds for a keystroke').toBeLessThan(50);
    expect(tools.shown.map(({ index }) => index)).toEqual([9999]);
  });
});
