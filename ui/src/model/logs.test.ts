import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Changes, LogPage, LogRequest } from '../backend/bindings';
import { Log } from './log.svelte';
import { Logs } from './logs.svelte';
import { frame, later, row, server, Stub, type Answers } from './stub';

const demo = server({ id: 'demo' });
const grown = (log_total: number): Changes => ({
  revision: log_total,
  log_total,
  log_bytes: 0,
  log_lost: 0,
  recording_problem: null,
  servers_revision: 1,
  questions_revision: 0,
  calls: [],
});

function world(answers: Answers = {}) {
  const page = ({ first }: LogRequest): LogPage => ({
    total: 3,
    first: Math.min(first, 3),
    rows: [1, 2, 3].slice(first).map((seq) => row(seq, { kind: 'stderr', target: `line ${seq}` })),
  });
  const stub = new Stub({ query_log: page, ...answers });
  const logs = new Logs(stub);
  const prepare = async (of = demo, changes: Changes | null = null): Promise<void> => {
    (await logs.prepare(of, changes))();
  };
  return { stub, logs, prepare, asked: () => stub.requests('query_log').map((each) => each.view) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the lines of a server', () => {
  it('are its messages and its stderr, of every level', async () => {
    const { logs, prepare, asked } = world();
    await prepare();
    expect(asked()).toEqual([
      { server: 'demo', kind: null, lines: { messages: true, stderr: true, level: null, text: null } },
    ]);
    expect(logs.lines.total).toBe(3);
    expect(logs.filtered).toBe(false);
  });

  it('are read again only when the log grew', async () => {
    const { prepare, asked } = world();
    await prepare();
    await prepare(demo, grown(10));
    const after = asked().length;
    await prepare(demo, grown(10));
    expect(asked(), 'another change, the same log').toHaveLength(after);
    await prepare(demo, grown(11));
    expect(asked().length).toBeGreaterThan(after);
  });

  it('are read again when they could not be read the last time', async () => {
    let broken = false;
    const { logs, prepare } = world({
      query_log: () => {
        if (broken) throw new Error('gone');
        return { total: 1, first: 0, rows: [row(1)] };
      },
    });
    await prepare();
    await prepare(demo, grown(10));
    broken = true;
    await logs.show('stderr');
    expect(logs.lines.loaded).toBe(false);
    broken = false;
    await prepare(demo, grown(10));
    expect(logs.lines.loaded).toBe(true);
  });

  it('are those of another server when that is looked at, without what was sought in the first', async () => {
    const { logs, prepare, asked } = world();
    await prepare();
    logs.type('needle');
    await logs.find();
    await logs.show('messages');
    logs.choose(1);
    await prepare(server({ id: 'other' }));
    expect(asked().at(-1)).toMatchObject({
      server: 'other',
      lines: { messages: true, stderr: false, text: null },
    });
    expect(logs.typed).toBe('');
    expect(logs.open).toBe(false);
  });
});

describe('the filter of the lines', () => {
  it('looks for a text a moment after the last key', async () => {
    const { logs, prepare, asked } = world();
    await prepare();
    logs.type('ne');
    await vi.advanceTimersByTimeAsync(100);
    logs.type('nee');
    await vi.advanceTimersByTimeAsync(149);
    expect(asked(), 'still typing').toHaveLength(1);
    expect(logs.text, 'what is marked is what was asked for').toBe('');
    await vi.advanceTimersByTimeAsync(1);
    expect(asked().at(-1)?.lines?.text).toBe('nee');
    expect(logs.text).toBe('nee');
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked()).toHaveLength(2);
  });

  it('has a level for messages, which stderr has not', async () => {
    const { logs, prepare, asked } = world();
    await prepare();
    await logs.showLevel('warning');
    expect(asked().at(-1)?.lines).toEqual({ messages: true, stderr: true, level: 'warning', text: null });
    await logs.show('stderr');
    expect(asked().at(-1)?.lines).toEqual({ messages: false, stderr: true, level: null, text: null });
  });

  it('is cleared as a whole', async () => {
    const { logs, prepare, asked } = world();
    await prepare();
    await logs.showLevel('error');
    await logs.show('messages');
    logs.type('x');
    await logs.clear();
    expect(asked().at(-1)?.lines).toEqual({ messages: true, stderr: true, level: null, text: null });
    expect(logs.filtered).toBe(false);
    const before = asked().length;
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked(), 'nothing that was typed comes after').toHaveLength(before);
  });
});

describe('a line that is opened', () => {
  it('is read with what was going on, once', async () => {
    const { stub, logs } = world({
      read_row: ({ seq }) => ({ row: row(seq), frames: [frame()], http: [] }),
      find_related: () => ({ rows: [row(7, { method: 'tools/call', target: 'slow' })], more: 0 }),
    });
    await logs.read(3);
    await logs.read(3);
    expect(stub.requests('read_row')).toHaveLength(1);
    expect(logs.line.detail?.row.seq).toBe(3);
    expect(logs.related).toMatchObject({ seq: 3, rows: [{ target: 'slow' }], error: null });
  });

  it('is not overtaken by what was going on at an earlier one', async () => {
    const first = later<{ rows: []; more: number }>();
    const { logs } = world({
      read_row: ({ seq }) => ({ row: row(seq), frames: [], http: [] }),
      find_related: ({ seq }) => (seq === 1 ? first.promise : { rows: [row(9)], more: 0 }),
    });
    const reading = logs.read(1);
    await logs.read(2);
    first.resolve({ rows: [], more: 0 });
    await reading;
    expect(logs.related).toMatchObject({ seq: 2, rows: [{ seq: 9 }] });
  });

  it('says why nothing is known of what was going on', async () => {
    const { logs } = world({
      read_row: ({ seq }) => ({ row: row(seq), frames: [], http: [] }),
      find_related: () => Promise.reject(new Error('no')),
    });
    await logs.read(1);
    expect(logs.related?.error?.message).toBe('no');
  });
});

describe('the level that a server sends', () => {
  it('is shown at once, and then as the core has it', async () => {
    const answer = later<Record<string, never>>();
    const { stub, logs } = world({ set_log_level: () => answer.promise });
    expect(logs.levelOf(demo)).toBeNull();
    const setting = logs.setLevel(demo, 'warning');
    expect(logs.levelOf(demo)).toBe('warning');
    expect(logs.levelOf(server({ id: 'other' })), 'of that server alone').toBeNull();
    answer.resolve({});
    await setting;
    expect(stub.requests('set_log_level')).toEqual([{ server: 'demo', level: 'warning' }]);
    expect(logs.levelOf(demo), 'until there is news').toBe('warning');
    expect(logs.levelOf({ ...demo, news_revision: 2, log_level: 'error' })).toBe('error');
  });

  it('is what it was where it could not be set, and why is said', async () => {
    const { logs } = world({ set_log_level: () => Promise.reject(new Error('refused')) });
    const before = { ...demo, log_level: 'info' };
    await logs.setLevel(before, 'debug');
    expect(logs.levelOf(before)).toBe('info');
    expect(logs.refusal).toMatchObject({ server: 'demo', error: { message: 'refused' } });
  });
});

describe('a view of the log', () => {
  const lines = { messages: true, stderr: true, level: null, text: null };

  it('with other lines is another view, and the same lines are the same', async () => {
    const { stub } = world();
    const log = new Log(stub);
    await log.look({ server: 'demo', kind: null, lines });
    await log.look({ server: 'demo', kind: null, lines: { ...lines } });
    expect(stub.requests('query_log')).toHaveLength(1);
    for (const other of [{ stderr: false }, { messages: false }, { level: 'error' }, { text: 'x' }])
      await log.look({ server: 'demo', kind: null, lines: { ...lines, ...other } });
    await log.look({ server: 'demo', kind: null });
    expect(stub.requests('query_log')).toHaveLength(6);
  });

  it('is not said to be empty before anyone knows', async () => {
    const answer = later<LogPage>();
    const log = new Log(new Stub({ query_log: () => answer.promise }), { server: 'demo', kind: null });
    log.loaded = true;
    const looking = log.look({ server: 'demo', kind: null, lines });
    expect(log.loaded).toBe(false);
    answer.resolve({ total: 0, first: 0, rows: [] });
    await looking;
    expect(log.loaded).toBe(true);
  });

  it('asks whoever draws it to bring a row into view that was gone to', async () => {
    const { stub } = world();
    const log = new Log(stub);
    (await log.prepare(3))();
    await log.goTo(2);
    expect(log.cursor).toBe(1);
    expect(log.sought).toEqual({ place: 1 });
    const before = log.sought;
    await log.goTo(2);
    expect(log.sought, 'asked again, it is brought again').not.toBe(before);
  });

  it('asks again for rows that did not come', async () => {
    let broken = true;
    const log = new Log(
      new Stub({
        query_log: ({ first }) => {
          if (broken && first > 0) throw new Error('gone');
          return { total: 1000, first, rows: Array.from({ length: 160 }, (_, at) => row(first + at + 1)) };
        },
      }),
    );
    log.setFollow(false);
    (await log.prepare(1000))();
    await log.show(500, 30);
    expect(log.row(500)).toBeNull();
    broken = false;
    await log.show(500, 30);
    expect(log.row(500)?.seq).toBe(501);
  });
});
