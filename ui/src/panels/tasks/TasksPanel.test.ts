import { flushSync, mount, unmount } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Call, Question, ServerDetail, TaskSummary } from '../../backend/bindings';
import { Session } from '../../model/session.svelte';
import { call, server, serverList, Stub, type Answers } from '../../model/stub';
import TasksPanel from './TasksPanel.svelte';

let close = (): void => undefined;
afterEach(() => close());

function task(id: string, status: string, part: Partial<TaskSummary> = {}): TaskSummary {
  return {
    id,
    status,
    message: null,
    created: new Date().toISOString(),
    updated: null,
    ttl_ms: 600_000,
    poll_ms: 2000,
    definition: `{"taskId":"${id}"}`,
    problem: null,
    ...part,
  };
}

const question: Question = {
  number: 7,
  server: 'demo',
  method: 'elicitation/create',
  params: null,
  clipped: false,
  size: 0,
  asked: 0,
  call: null,
  task: 'seat',
};

async function shown(answers: Answers = {}, capabilities = '{"tasks":{"list":{}}}') {
  const stop = new AbortController();
  let asked = false;
  const stub = new Stub({
    wait_changes: () => {
      if (asked) stop.abort();
      asked = true;
      return {
        revision: 1,
        log_total: 0,
        log_bytes: 0,
        log_lost: 0,
        recording_problem: null,
        servers_revision: 1,
        questions_revision: 1,
        calls: [],
      };
    },
    list_servers: () => serverList([server({ id: 'demo', revision: '2025-06-18' })]),
    describe_server: () => ({ exit: null, server_capabilities: capabilities }) as ServerDetail,
    list_tools: () => ({ tools: [], gone: [], catalog_revision: 1, complete: true, problem: null }),
    query_log: () => ({ total: 0, first: 0, rows: [] }),
    report_ready: () => ({}),
    list_calls: () => ({ calls: [] }),
    list_questions: () => ({ questions: [question] }),
    list_tasks: () => ({
      tasks: [
        task('trip', 'working', { message: '<b>on</b> its way' }),
        task('seat', 'input_required'),
        task('odd', 'paused', { ttl_ms: null, definition: '{"ttl":null}' }),
      ],
      problem: null,
    }),
    ...answers,
  });
  const session = new Session(stub);
  await session.run(stop.signal, () => Promise.resolve());
  const target = document.body.appendChild(document.createElement('div'));
  const panel = mount(TasksPanel, { target, props: { session } });
  close = () => {
    void unmount(panel);
    target.remove();
  };
  const find = (selector: string): HTMLElement | null => target.querySelector(selector);
  const seen = (selector: string): Promise<HTMLElement> =>
    vi.waitFor(() => {
      flushSync();
      const element = find(selector);
      if (element === null) throw new Error(`no ${selector}`);
      return element;
    });
  return { stub, session, find, seen, target };
}

function press(target: EventTarget, key: string): void {
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  flushSync();
}

const words = (element: Element | null): string => element?.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '';

describe('the tasks panel, by keyboard', () => {
  it('shows each task with its state as shape and word', async () => {
    const { find, seen } = await shown();
    await seen('[data-task="odd"]');
    expect(words(find('[data-task="trip"]'))).toContain('◐ working');
    expect(words(find('[data-task="trip"]'))).toContain('<b>on</b> its way');
    expect(words(find('[data-task="seat"]'))).toContain('? input required');
    expect(words(find('[data-task="odd"]'))).toContain('paused');
    expect(words(find('[data-task="odd"]'))).toContain('kept for ever');
    expect(words(find('.again'))).toBe('asked again every 2 s');
  });

  it('goes to a task, asks for its result and shows it', async () => {
    const text = JSON.stringify({
      content: [{ type: 'text', text: 'there in six hours' }],
      structuredContent: { hours: 6 },
    });
    const result: Call = {
      ...call(4, 'ok'),
      method: 'tasks/result',
      tool: '',
      target: 'trip',
      result: { text, shown: text.length, size: text.length },
    };
    const { stub, find, seen } = await shown({ await_task: () => result });
    const grid = await seen('[role="grid"]');
    press(grid, 'ArrowDown');
    await seen('[data-task-shown="trip"]');
    expect(find('[data-task="trip"]')?.getAttribute('aria-selected')).toBe('true');
    press(grid, 'Enter');
    await seen('[data-result-status="ok"]');
    expect(stub.requests('await_task')).toEqual([{ server: 'demo', task: 'trip' }]);
    expect(words(find('[data-result-status]'))).toContain('there in six hours');
    expect(words(find('[aria-label="Structured content"]'))).toContain('hours');
    press(grid, 'r');
    await vi.waitFor(() => expect(stub.requests('list_tasks')).toHaveLength(2));
  });

  it('cancels what is going on, and leads to the question that a task waits for', async () => {
    const { stub, find, seen } = await shown({ cancel_task: () => ({}) });
    const strip = document.body.appendChild(document.createElement('div'));
    strip.dataset['questionNumber'] = '7';
    strip.append(document.createElement('button'));
    const grid = await seen('[role="grid"]');
    press(grid, 'ArrowDown');
    press(grid, 'ArrowDown');
    const go = await seen('[data-action="go-to-question"]');
    expect(words(find('[data-waits]'))).toContain('The server waits for an answer');
    go.click();
    expect(document.activeElement).toBe(strip.firstElementChild);
    strip.remove();
    find('[data-action="cancel-task"]')!.click();
    await vi.waitFor(() => expect(stub.requests('cancel_task')).toEqual([{ server: 'demo', task: 'seat' }]));
  });

  it('stops asking by itself when it is told to', async () => {
    const { session, find, seen } = await shown();
    (await seen('[data-action="polling"]')).click();
    flushSync();
    expect(session.tasks.polling).toBe(false);
    expect(words(find('.again'))).toBe('not asked again by itself');
  });
});

describe('a server without tasks', () => {
  it('is not asked until the person insists', async () => {
    const { stub, find, seen } = await shown({}, '{"tools":{}}');
    const button = await seen('[data-action="ask-anyway"]');
    expect(words(find('[data-undeclared="none"]'))).toContain(
      'Tasks came with 2025-11-25; this server did not declare them, and speaks 2025-06-18',
    );
    expect(stub.requests('list_tasks')).toEqual([]);
    button.click();
    await seen('[data-task="trip"]');
  });

  it('that refuses to list them is told of in full, with a way to ask again', async () => {
    let fails = true;
    const { find, seen } = await shown({
      list_tasks: () => {
        if (!fails) return { tasks: [], problem: null };
        throw {
          code: 'server-error',
          title: 'The server refused',
          message: '-32601: method not found',
          hint: null,
          chain: [],
          context: [],
        };
      },
    });
    const retry = await seen('[data-error="server-error"] [data-retry="tasks"]');
    fails = false;
    retry.click();
    await vi.waitFor(() => expect(words(find('.tasks'))).toContain('The server has no tasks now'));
  });
});
