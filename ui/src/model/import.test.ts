import { describe, expect, it } from 'vitest';
import type { FoundFile, Importable, ImportConflict, Launch } from '../backend/bindings';
import { Import, largest, type Source } from './import.svelte';
import { Stub, type Answers } from './stub';

const launch: Launch = {
  kind: 'command',
  command: 'x',
  resolved: null,
  args: [],
  folder: '/',
  env_names: [],
};
const entry = (name: string, part: Partial<Importable> = {}): Importable => ({
  name,
  project: null,
  id: name,
  launch,
  enabled: true,
  secrets: [],
  conflict: null,
  risks: [],
  ...part,
});
const conflict = (server: string, part: Partial<ImportConflict> = {}): ImportConflict => ({
  server,
  file: null,
  layer: 'global',
  same: false,
  free: `${server}-2`,
  ...part,
});
const file = (client: string, ...servers: Importable[]): FoundFile => ({
  id: client,
  client,
  file: `~/${client}.json`,
  offer: { shape: client, servers, problems: [] },
});

async function looked(files: FoundFile[], answers: Answers = {}) {
  const stub = new Stub({
    find_clients: () => ({ files, looked: [] }),
    import_servers: ({ choices }) => ({
      servers: choices.map((choice) => choice.rename ?? choice.name),
      file: '~/servers.json',
      notices: [],
    }),
    ...answers,
  });
  const model = new Import(stub);
  await model.look();
  const source = (place: number): Source => model.sources[place]!;
  const deeds = () =>
    model.sources.map((each) =>
      each.offer.servers.map((server, place) => model.choice(each, server, place).deed),
    );
  return { stub, model, source, deeds };
}

describe('what other clients have', () => {
  it('is left alone until it is chosen', async () => {
    const { deeds, model, source } = await looked([
      file('a', entry('new', { secrets: ['KEY'] }), entry('here', { conflict: conflict('here') })),
      file('b', entry('other')),
    ]);
    expect(deeds(), 'found is not wanted').toEqual([['skip', 'skip'], ['skip']]);
    expect(model.secrets).toBe(0);
    model.toggle(source(0), entry('new'), 0);
    expect(model.chosen).toBe(1);
    expect(model.secrets, 'those of the chosen ones').toBe(1);
  });

  it('is written down with the names and the deeds that were chosen', async () => {
    const { stub, model, source } = await looked([
      file(
        'a',
        entry('one'),
        entry('two', { conflict: conflict('two') }),
        entry('three', { conflict: conflict('three') }),
      ),
    ]);
    model.toggle(source(0), entry('one'), 0);
    model.decide(source(0), 1, { deed: 'rename', name: 'two-2' });
    model.decide(source(0), 2, { deed: 'replace', name: '' });
    model.target = 'project';
    expect((await model.run())?.servers).toEqual(['one', 'two-2', 'three']);
    expect(stub.requests('import_servers')).toEqual([
      {
        source: { kind: 'file', id: 'a' },
        choices: [
          { name: 'one', replace: false },
          { name: 'two', rename: 'two-2', replace: false },
          { name: 'three', replace: true },
        ],
        target: 'project',
      },
    ]);
  });

  it('is not taken twice under one name', async () => {
    const { stub, model, source } = await looked([file('a', entry('x')), file('b', entry('x'))]);
    model.toggle(source(0), entry('x'), 0);
    model.toggle(source(1), entry('x'), 0);
    expect(model.objection(source(1), entry('x'), 0)).toContain('from a too');
    expect(model.blocked).toBe(true);
    expect(await model.run()).toBeNull();
    expect(stub.requests('import_servers')).toEqual([]);
    model.decide(source(1), 0, { deed: 'rename', name: 'y' });
    expect(model.blocked).toBe(false);
  });

  it('keeps what was written when a later file fails', async () => {
    const { model, source } = await looked([file('a', entry('x')), file('b', entry('y'))], {
      import_servers: ({ source }) => {
        if (source.kind === 'file' && source.id === 'b') throw new Error('no room');
        return { servers: ['x'], file: 'f', notices: [] };
      },
    });
    model.chooseAll(source(0));
    model.chooseAll(source(1));
    expect((await model.run())?.servers).toEqual(['x']);
    expect(model.refusal?.message).toBe('no room');
  });

  it('is chosen or skipped as a whole', async () => {
    const { deeds, model, source } = await looked([
      file(
        'a',
        entry('x'),
        entry('y', { conflict: conflict('y') }),
        entry('z', { conflict: conflict('z', { same: true }) }),
      ),
    ]);
    expect(model.hasMore(source(0))).toBe(true);
    model.chooseAll(source(0));
    expect(deeds(), 'a taken name is renamed, and what is the same stays away').toEqual([
      ['add', 'rename', 'skip'],
    ]);
    expect(model.hasMore(source(0)), 'there is no more to choose').toBe(false);
    model.chooseNone(source(0));
    expect(deeds()).toEqual([['skip', 'skip', 'skip']]);
  });
});

it('a file that is read as our own has nothing to bring', async () => {
  const { model } = await looked([file('a', entry('x')), file('b', entry('y'))]);
  await model.look(['~/a.json', null]);
  expect(model.sources.map((source) => source.title)).toEqual(['b']);
});

it('the places that were looked at stand together by client', async () => {
  const model = new Import(
    new Stub({
      find_clients: () => ({
        files: [],
        looked: [
          { client: 'A', file: '1' },
          { client: 'B', file: '2' },
          { client: 'A', file: '3' },
        ],
      }),
    }),
  );
  await model.look();
  expect(model.places).toEqual([
    ['A', ['1', '3']],
    ['B', ['2']],
  ]);
});

describe('a text that was pasted or dropped', () => {
  it('comes first, and the same file again takes its place', async () => {
    const { model } = await looked([file('a', entry('x'))], {
      read_offer: ({ text }) => ({ shape: 'VS Code', servers: [entry(text)], problems: [] }),
    });
    await model.read('one', 'mcp.json');
    await model.read('two', 'mcp.json');
    expect(model.sources.map((source) => source.offer.servers[0]?.name)).toEqual(['two', 'x']);
    await model.look();
    expect(model.sources, 'looking again forgets no text').toHaveLength(2);
  });

  it('is what was meant: the rest of what was found stays where it is', async () => {
    const { model, deeds } = await looked([file('a', entry('x'), entry('new'))], {
      read_offer: () => ({
        shape: 'VS Code',
        servers: [entry('new'), entry('new'), entry('here', { conflict: conflict('here') })],
        problems: [],
      }),
    });
    await model.read('{}', null);
    expect(deeds(), 'one of each new name').toEqual([
      ['add', 'skip', 'skip'],
      ['skip', 'skip'],
    ]);
    expect((await model.run())?.servers).toEqual(['new']);
  });

  it('that is no text is named with the reason', async () => {
    const { model } = await looked([]);
    model.refuse(['`photo.png`: it is not text in UTF-8']);
    expect(model.pasteProblem?.message).toContain('photo.png');
  });

  it('goes to the core in parts where it is too long for one request', async () => {
    const { model, stub } = await looked([], {
      hand_over: ({ handed }) => ({ handed: handed ?? '7' }),
      read_offer: () => ({ shape: 'VS Code', servers: [entry('a')], problems: [] }),
    });
    const text = `"${'x'.repeat(2_000_000)}`;
    expect(await model.read(text, 'big.json')).toBe(true);
    const parts = stub.requests('hand_over');
    expect(parts.length, 'as many as it takes').toBeGreaterThan(10);
    expect(parts.map((each) => each.handed)).toEqual([undefined, ...parts.slice(1).map(() => '7')]);
    const [read] = stub.requests('read_offer');
    expect(parts.map((each) => each.part).join('') + read?.text).toBe(text);
    expect(read?.handed).toBe('7');
    for (const { part } of parts) expect(JSON.stringify({ part }).length).toBeLessThan(1024 * 1024);
    expect(model.sources[0]?.from).toEqual({
      kind: 'text',
      text: read?.text,
      file_name: 'big.json',
      handed: '7',
    });
  });

  it('is refused before it is sent when it is too large', async () => {
    const { model, stub } = await looked([]);
    expect(await model.read(' '.repeat(largest + 1), 'big.json')).toBe(false);
    expect(model.pasteProblem?.code).toBe('too-large');
    expect(stub.requests('hand_over')).toEqual([]);
  });

  it('names the project of an entry that is for another one', async () => {
    const { model, source, stub } = await looked([file('a', entry('x', { project: '/srv/other' }))]);
    model.decide(source(0), 0, { deed: 'add', name: 'x' });
    await model.run();
    expect(stub.requests('import_servers')[0]?.choices).toEqual([
      { name: 'x', project: '/srv/other', replace: false },
    ]);
  });

  it('says why it can not be read', async () => {
    const { model } = await looked([], { read_offer: () => Promise.reject(new Error('line 3')) });
    expect(await model.read('{', null)).toBe(false);
    expect(model.pasteProblem?.message).toBe('line 3');
  });
});
