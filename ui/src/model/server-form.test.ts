import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DraftReport, ServerDraft } from '../backend/bindings';
import { draftChanges } from './draft-changes';
import { ServerForm } from './server-form.svelte';
import { later, Stub, type Answers } from './stub';

const report = (id: string): DraftReport => ({
  id,
  launch: null,
  problems: [],
  risks: [],
  secret_fields: [],
});
const draft: ServerDraft = {
  name: 'files',
  reach: {
    kind: 'command',
    command: 'npx',
    args: ['-y', ''],
    folder: null,
    env: [
      { name: 'TOKEN', value: { kind: 'secret' } },
      { name: 'LEVEL', value: { kind: 'plain', text: 'info' } },
    ],
    env_passthrough: ['HOME'],
  },
  enabled: true,
  auto_start: true,
  timeout: '30s',
  connect_timeout: null,
  fail_if_no_tools: false,
  reconnect: true,
  ping: null,
};

function form(given: ServerDraft | null, answers: Answers = {}) {
  const stub = new Stub({ check_draft: ({ name }) => report(name), ...answers });
  return { stub, form: new ServerForm(stub, given?.name ?? null, given, 'project') };
}

describe('a server in a form', () => {
  it('is the draft that it was made of until something is changed', () => {
    const { form: same } = form(draft);
    expect(same.draft).toEqual(draft);
    expect(same.dirty).toBe(false);
    same.name = 'other';
    expect(same.dirty).toBe(true);
  });

  it('leaves a secret as it is kept, and gives a new one only when it is saved', () => {
    const { form: edited } = form(draft);
    const row = edited.env[0]!;
    expect(row, 'nothing of it is in the page').toMatchObject({ secret: true, kept: true, text: '' });
    row.kept = false;
    row.text = 's3cret';
    expect(JSON.stringify(edited.draft)).toContain('s3cret');
  });

  it('leaves what stands in the file in clear, unless it is told to move it', () => {
    const reach = { ...draft.reach, env: [{ name: 'TOKEN', value: { kind: 'clear' as const } }] };
    const { form: edited } = form({ ...draft, reach } as ServerDraft);
    expect(edited.draft.reach).toMatchObject({ env: [{ name: 'TOKEN', value: { kind: 'clear' } }] });
    edited.env[0]!.clear = 'moves';
    expect(edited.draft.reach).toMatchObject({ env: [{ value: { kind: 'secret' } }] });
    edited.env[0]!.name = 'API_TOKEN';
    expect(edited.draft.reach, 'and a new name goes with the old one').toMatchObject({
      env: [{ name: 'API_TOKEN', was: 'TOKEN' }],
    });
  });

  it('moves a secret among the arguments by its reference', () => {
    const reach = { ...draft.reach, args: ['--token=‹in clear: TOKEN›', '-y'] };
    const { form: edited } = form({ ...draft, reach } as ServerDraft);
    expect(edited.hasMarks).toBe(true);
    edited.moveMarks();
    expect(edited.draft.reach).toMatchObject({ args: ['--token=${secret:TOKEN}', '-y'] });
    expect(edited.hasMarks).toBe(false);
  });

  it('leaves out a row that was only just added', () => {
    const { form: empty } = form(null);
    empty.addArgument();
    empty.addValue(empty.env);
    expect(empty.draft.reach).toMatchObject({ args: [], env: [] });
    empty.args[0]!.fresh = false;
    expect(empty.draft.reach, 'an empty argument is one if somebody wants it').toMatchObject({ args: [''] });
  });

  it('takes a pasted line apart and puts it back', () => {
    const { form: edited } = form(draft);
    expect(edited.split('LEVEL=debug uvx server --x')).toBeNull();
    expect(edited.draft.reach).toMatchObject({ command: 'uvx', args: ['server', '--x'] });
    expect(edited.env.map((row) => [row.name, row.text])).toEqual([
      ['TOKEN', ''],
      ['LEVEL', 'debug'],
    ]);
    edited.unsplit();
    expect(edited.draft).toEqual(draft);
    expect(edited.split('a | b'), 'a pipe is refused').toContain('shell');
  });

  it('says that something is missing only where the person has been', async () => {
    const { form: empty, stub } = form(null);
    expect(empty.problemsOf('name')).toEqual([]);
    empty.touch('name');
    expect(empty.problemsOf('name')).toEqual(['a name is needed']);
    expect(empty.problemsOf('command')).toEqual([]);
    expect(await empty.save()).toBeNull();
    expect(empty.problemsOf('command')).toEqual(['a command is needed']);
    expect(stub.requests('save_draft'), 'nothing is sent').toEqual([]);
  });
});

describe('what is typed', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('is checked once nobody types, without secrets', async () => {
    const { form: edited, stub } = form(draft);
    Object.assign(edited.env[0]!, { kept: false, text: 's3cret' });
    for (const name of ['a', 'ab', 'abc']) {
      edited.name = name;
      edited.check();
    }
    expect(edited.checking).toBe(true);
    await vi.runAllTimersAsync();
    expect(stub.requests('check_draft').map((each) => each.name)).toEqual(['abc']);
    expect(JSON.stringify(stub.requests('check_draft'))).not.toContain('s3cret');
    expect(edited.report?.id).toBe('abc');
    expect(edited.checking).toBe(false);
  });

  it('keeps the launch line in sight while a time is half written', async () => {
    const launch = { kind: 'url', url: 'http://x', origin: 'http://x' } as unknown as DraftReport['launch'];
    const problems = [{ field: 'timeout', message: 'no time' }];
    const { form: edited } = form(draft, {
      check_draft: ({ timeout }) =>
        timeout === '9' ? { ...report('a'), problems } : { ...report('a'), launch },
    });
    edited.timeout = '9';
    edited.check();
    await vi.runAllTimersAsync();
    expect(edited.report?.launch).toEqual(launch);
    expect(edited.report?.problems).toEqual(problems);
  });

  it('is shown as a secret as soon as the core would keep it as one', async () => {
    const { form: edited } = form(draft, {
      check_draft: ({ name }) => ({ ...report(name), secret_fields: ['env.LEVEL'] }),
    });
    expect(edited.env[1]!.secret).toBe(false);
    edited.check();
    await vi.runAllTimersAsync();
    expect(edited.env[1]).toMatchObject({ secret: true, text: 'info' });
  });

  it('is shown by the newest answer, whatever comes last', async () => {
    const first = later<DraftReport>();
    const answers = [first.promise, Promise.resolve(report('new'))];
    const { form: edited } = form(draft, { check_draft: () => answers.shift()! });
    edited.check();
    await vi.runAllTimersAsync();
    edited.check();
    await vi.runAllTimersAsync();
    first.resolve(report('old'));
    await vi.runAllTimersAsync();
    expect(edited.report?.id).toBe('new');
  });
});

describe('an entry that changes on disk while it is edited', () => {
  const changed: ServerDraft = { ...draft, timeout: '5s', seen: 'second' };
  const first: ServerDraft = { ...draft, seen: 'first' };

  it('is followed where nothing was typed', async () => {
    const { form: open } = form(draft, { read_draft: () => changed });
    await open.readAgain();
    expect(open.timeout).toBe('5s');
    expect(open.dirty).toBe(false);
    expect(open.theirs).toBeNull();
  });

  it('is never written over before the person chose', async () => {
    const { form: edited, stub } = form(first, {
      read_draft: () => changed,
      save_draft: () => ({ server: 'files', file: 'f', notices: [] }),
    });
    edited.command = 'node';
    await edited.readAgain();
    expect(edited.changesOnDisk).toEqual([{ field: 'timeout', before: '30s', after: '5s' }]);
    expect(await edited.save()).toBeNull();
    expect(stub.requests('save_draft')).toEqual([]);
    edited.keepMine();
    expect(await edited.save()).toMatchObject({ server: 'files' });
    expect(stub.requests('save_draft')[0]?.draft, 'as it stands in the form').toMatchObject({
      timeout: '30s',
      reach: { command: 'node' },
      seen: 'second',
    });
  });

  it('is saved as the newest one where what changed is in no field', async () => {
    const { form: edited, stub } = form(first, {
      read_draft: () => ({ ...first, seen: 'other' }),
      save_draft: () => ({ server: 'files', file: 'f', notices: [] }),
    });
    edited.command = 'node';
    await edited.readAgain();
    expect(edited.theirs).toBeNull();
    await edited.save();
    expect(stub.requests('save_draft')[0]?.draft.seen).toBe('other');
  });

  it('can be taken instead of what was typed', async () => {
    const { form: edited } = form(draft, { read_draft: () => changed });
    edited.command = 'node';
    await edited.readAgain();
    edited.takeTheirs();
    expect({ ...edited.draft, seen: 'second' }).toEqual(changed);
    expect(edited.dirty).toBe(false);
  });

  it('is shown when only the core has noticed', async () => {
    const conflict = {
      code: 'conflict',
      title: 'Changed on disk',
      message: '',
      hint: null,
      chain: [],
      context: [],
    };
    const { form: edited } = form(draft, {
      read_draft: () => changed,
      save_draft: () => Promise.reject(conflict),
    });
    edited.command = 'node';
    expect(await edited.save()).toBeNull();
    expect(edited.theirs).toEqual(changed);
  });

  it('tells of variables by name, and of a secret nothing', () => {
    const reach = {
      ...draft.reach,
      args: ['-y', 'x y'],
      env: [{ name: 'TOKEN', value: { kind: 'plain', text: 'a' } }],
    };
    expect(draftChanges(draft, { ...draft, reach } as ServerDraft)).toEqual([
      { field: 'args', before: "-y ''", after: "-y 'x y'" },
      { field: 'env.TOKEN', before: 'a secret', after: 'a' },
      { field: 'env.LEVEL', before: 'info', after: null },
    ]);
  });
});

describe('a server that is saved', () => {
  it('takes the place of the one that was edited', async () => {
    const { form: edited, stub } = form(draft, {
      save_draft: () => ({ server: 'files', file: 'f', notices: [] }),
    });
    edited.command = 'node';
    expect(await edited.save()).toMatchObject({ server: 'files' });
    expect(stub.requests('save_draft')[0]).toMatchObject({ replaces: 'files', target: 'project' });
  });

  it('stays in the form with the reason where it is refused, until something is changed', async () => {
    const { form: edited } = form(draft, { save_draft: () => Promise.reject(new Error('taken')) });
    expect(await edited.save()).toBeNull();
    expect(edited.refusal?.message).toBe('taken');
    expect(edited.saving).toBe(false);
    edited.name = 'another';
    edited.check();
    expect(edited.refusal, 'it was about another name').toBeNull();
  });
});
