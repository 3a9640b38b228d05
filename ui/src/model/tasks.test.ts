import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiError, Call, Changes, ServerDetail, TaskList, TaskSummary } from '../backend/bindings';
import { call, later, server, Stub, type Answers } from './stub';
import { Tasks } from './tasks.svelte';

function task(id: string, status: string, part: Partial<TaskSummary> = {}): TaskSummary {
  return {
    id,
    status,
    message: null,
    created: '2025-11-25T10:00:00Z',
    updated: null,
    ttl_ms: null,
    poll_ms: null,
    definition: '{}',
    problem: null,
    ...part,
  };
}

function listed(...tasks: TaskSummary[]): TaskList {
  return { tasks, problem: null };
}

function changes(calls: number[] = []): Changes {
  return {
    revision: 2,
    log_total: 0,
    log_bytes: 0,
    log_lost: 0,
    recording_problem: null,
    servers_revision: 1,
    questions_revision: 0,
    calls,
  };
}

function refusal(code: ApiError['code']): ApiError {
  return { code, title: 'No', message: 'no tasks here', hint: null, chain: [], context: [] };
}

const capable = '{"tasks":{"list":{},"cancel":{}}}';

function world(answers: Answers = {}, capabilities: string | null = capable) {
  const stub = new Stub({
    describe_server: () => ({ server_capabilities: capabilities }) as ServerDetail,
    list_tasks: () => listed(task('a', 'completed')),
    list_calls: () => ({ calls: [] }),
    ...answers,
  });
  const model = new Tasks(stub);
  const asked = (): number => stub.requests('list_tasks').length;
  const follow = async (part = {}, since: Changes | null = changes()) => {
    (await model.prepare(server({ id: 'demo', ...part }), since))();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { stub, model, asked, follow };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the tasks of a server', () => {
  it('are asked for once, and again when there is news of the server', async () => {
    const { model, asked, follow } = world();
    model.watch();
    await follow();
    for (let change = 0; change < 20; change += 1) await follow();
    expect(asked()).toBe(1);
    expect(model.list.map((each) => each.id)).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(5000);
    await follow({ news_revision: 2 });
    expect(asked()).toBe(2);
  });

  it('are asked for at most once a second, however much news there is', async () => {
    const { model, asked, follow } = world();
    model.watch();
    await follow();
    for (let news = 2; news < 50; news += 1) {
      await follow({ news_revision: news });
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(asked(), 'in 4.8 seconds').toBe(5);
  });

  it('do not hold up the window while the server takes its time', async () => {
    const slow = later<TaskList>();
    const { model, follow } = world({ list_tasks: () => slow.promise });
    await follow();
    expect(model.asking).toBe(true);
    slow.resolve(listed(task('b', 'working')));
    await vi.advanceTimersByTimeAsync(0);
    expect(model.asking).toBe(false);
    expect(model.list).toHaveLength(1);
  });

  it('of a server that was left do not take the place of those of the next', async () => {
    const slow = later<TaskList>();
    const { model, follow } = world({
      list_tasks: ({ server: id }) => (id === 'slow' ? slow.promise : listed(task('mine', 'working'))),
    });
    await follow({ id: 'slow' });
    await follow();
    slow.resolve(listed(task('theirs', 'working')));
    await vi.advanceTimersByTimeAsync(0);
    expect(model.server).toBe('demo');
    expect(model.list.map((each) => each.id)).toEqual(['mine']);
  });

  it('stay in sight when the server goes, and are not asked for then', async () => {
    const { model, asked, follow } = world({ list_tasks: () => listed(task('a', 'working')) });
    model.watch();
    await follow();
    await follow({ state: 'failed' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(model.list).toHaveLength(1);
    expect(asked()).toBe(1);
    await follow();
    expect(asked(), 'it is back').toBe(2);
  });

  it('could not be listed: it says why and keeps what was known', async () => {
    let fails = false;
    const { model, follow } = world({
      list_tasks: () => {
        if (fails) throw refusal('timeout');
        return listed(task('a', 'completed'));
      },
    });
    await follow();
    fails = true;
    await model.refresh();
    expect(model.error?.code).toBe('timeout');
    expect(model.list).toHaveLength(1);
    fails = false;
    await model.refresh();
    expect(model.error).toBeNull();
  });
});

describe('a server that did not declare tasks', () => {
  it('is asked only when the person insists', async () => {
    const { model, asked, follow } = world({}, '{"tools":{}}');
    model.watch();
    await follow();
    await follow({ news_revision: 2 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(model.declared).toBe('none');
    expect(asked()).toBe(0);
    await model.refresh();
    expect(asked()).toBe(1);
    expect(model.loaded).toBe(true);
    await vi.advanceTimersByTimeAsync(2000);
    await follow({ news_revision: 3 });
    expect(asked(), 'it answered, so it is followed').toBe(2);
  });

  it('is left alone again where the request was held back', async () => {
    const { model, asked, follow } = world(
      {
        list_tasks: () => {
          throw refusal('objected');
        },
      },
      null,
    );
    model.watch();
    await follow();
    await model.refresh();
    expect(model.error?.code).toBe('objected');
    await vi.advanceTimersByTimeAsync(5000);
    await follow({ news_revision: 2 });
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked()).toBe(1);
  });

  it('may have tasks that can not be listed', async () => {
    const { model, asked, follow } = world({}, '{"tasks":{"requests":{"tools":{"call":{}}}}}');
    await follow();
    expect(model.declared).toBe('unlisted');
    expect(asked()).toBe(0);
  });
});

describe('a task that goes on', () => {
  it('is asked for as often as the server wishes, within bounds', async () => {
    const wishes: [number | null, number][] = [
      [10, 1000],
      [2500, 2500],
      [3_600_000, 30_000],
      [null, 5000],
    ];
    for (const [poll_ms, interval] of wishes) {
      const { model, asked, follow } = world({ list_tasks: () => listed(task('a', 'working', { poll_ms })) });
      const stop = model.watch();
      await follow();
      expect(model.interval).toBe(interval);
      await vi.advanceTimersByTimeAsync(interval - 1);
      expect(asked()).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(asked()).toBe(2);
      stop();
    }
  });

  it('is not asked for once it ended, when nobody looks, or when the person said so', async () => {
    let status = 'working';
    const { model, asked, follow } = world({ list_tasks: () => listed(task('a', status)) });
    const stop = model.watch();
    await follow();
    model.setPolling(false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked(), 'switched off').toBe(1);
    model.setPolling(true);
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked(), 'switched on').toBe(2);
    stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked(), 'nobody looks').toBe(2);
    status = 'completed';
    model.watch();
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked()).toBe(3);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked(), 'it is over').toBe(3);
  });

  it('never has two questions on their way', async () => {
    const slow = later<TaskList>();
    let lists = 0;
    const { model, asked, follow } = world({
      list_tasks: () => (lists++ === 0 ? listed(task('a', 'working', { poll_ms: 1000 })) : slow.promise),
    });
    model.watch();
    await follow();
    await vi.advanceTimersByTimeAsync(10_000);
    await model.refresh();
    expect(asked()).toBe(2);
    slow.resolve(listed(task('a', 'completed')));
    await vi.advanceTimersByTimeAsync(999);
    expect(asked()).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked(), 'what was wanted meanwhile').toBe(3);
  });
});

describe('a call that became a task', () => {
  const made = (status: string, progress: number, state: Call['status'] = 'running'): Call => ({
    ...call(9, state),
    progress: { progress, total: 100, message: null },
    task: task('t', status),
  });

  it('brings its progress, and the list when the task moved on', async () => {
    const states = [made('working', 10), made('working', 60), made('completed', 100, 'ok')];
    const { model, asked, follow } = world({
      read_call: () => states.shift()!,
      list_tasks: () => listed(task('t', 'working', { poll_ms: 30_000 })),
    });
    model.watch();
    await follow();
    await vi.advanceTimersByTimeAsync(2000);
    await follow({}, changes([9]));
    expect(asked(), 'it was not known').toBe(2);
    await vi.advanceTimersByTimeAsync(2000);
    await follow({}, changes([9]));
    expect(model.callOf('t')?.progress?.progress).toBe(60);
    expect(asked(), 'progress alone is none of the list').toBe(2);
    await follow({}, changes([9]));
    expect(asked()).toBe(3);
  });

  it('is shown where the server can not list it', async () => {
    const { model, follow } = world({ read_call: () => made('working', 1) }, '{"tasks":{}}');
    await follow();
    await follow({}, changes([9]));
    expect(model.list.map((each) => each.id)).toEqual(['t']);
  });

  it('is told from other calls, which are read once', async () => {
    const { stub, model, follow } = world({ read_call: ({ call: id }) => call(id, 'ok') });
    await follow();
    await follow({}, changes([1, 2]));
    await follow({}, changes([1, 2]));
    expect(stub.requests('read_call')).toHaveLength(2);
    expect(model.list).toHaveLength(1);
  });
});

describe('the selected task', () => {
  it('stays selected wherever it stands, and in sight when it is not listed any more', async () => {
    const lists = [
      listed(task('a', 'completed'), task('b', 'working')),
      listed(task('c', 'working'), task('a', 'completed'), task('b', 'failed')),
      listed(task('c', 'working')),
    ];
    const { model, follow } = world({ list_tasks: () => lists.shift()! });
    await follow();
    await model.select(1);
    await model.refresh();
    expect(model.selected).toBe(2);
    expect(model.current).toMatchObject({ id: 'b', status: 'failed' });
    await model.refresh();
    expect(model.current?.id).toBe('b');
    expect(model.isGone).toBe(true);
  });

  it('is followed to its result, of which the newest is shown', async () => {
    const result = (id: number, status: Call['status']): Call => ({
      ...call(id, status),
      method: 'tasks/result',
      tool: '',
      target: 'a',
    });
    const { stub, model, follow } = world({
      list_calls: () => ({ calls: [result(1, 'ok')] }),
      await_task: () => result(2, 'running'),
      read_call: () => result(2, 'tool-error'),
    });
    await follow();
    await model.select(0);
    expect(stub.requests('list_calls').at(-1)).toEqual({
      server: 'demo',
      method: 'tasks/result',
      target: 'a',
    });
    await model.follow('a');
    expect(model.results.shown).toMatchObject({ id: 2, status: 'running' });
    await follow({}, changes([2]));
    expect(model.results.shown?.status).toBe('tool-error');
  });

  it('is cancelled, and the server says what became of it, also where it refused', async () => {
    let refuses = false;
    const { stub, model, asked, follow } = world({
      cancel_task: () => {
        if (refuses) throw refusal('server-error');
        return {};
      },
    });
    await follow();
    await model.cancel('a');
    expect(stub.requests('cancel_task')).toEqual([{ server: 'demo', task: 'a' }]);
    expect(asked()).toBe(2);
    refuses = true;
    await model.cancel('a');
    expect(model.refusal?.code).toBe('server-error');
    expect(asked()).toBe(3);
  });
});
