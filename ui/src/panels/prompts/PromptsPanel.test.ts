import { flushSync, mount, unmount } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Call, Payload, PromptDetail, PromptSummary, ServerDetail } from '../../backend/bindings';
import { Session } from '../../model/session.svelte';
import { call, server, serverList, Stub, type Answers } from '../../model/stub';
import PromptsPanel from './PromptsPanel.svelte';

let close = (): void => undefined;
afterEach(() => close());

const prompts: PromptSummary[] = [
  {
    index: 0,
    name: 'greet',
    title: 'A greeting',
    description: 'Greets <b>somebody</b>',
    arguments: [
      { name: 'name', title: null, description: 'Who', required: true },
      { name: 'style', title: null, description: null, required: false },
    ],
    problem: null,
  },
  { index: 1, name: 'daily', title: null, description: null, arguments: [], problem: null },
  { index: 2, name: '', title: null, description: null, arguments: [], problem: '`name` is missing' },
];

function payload(value: unknown): Payload {
  const text = JSON.stringify(value);
  return { text, shown: text.length, size: text.length };
}

function got(id: number, part: Partial<Call>): Call {
  return { ...call(id, 'ok'), method: 'prompts/get', tool: '', target: 'greet', elapsed_ms: 12, ...part };
}

const say = (role: string, text: string): unknown => ({ role, content: { type: 'text', text } });

/** The panel over a session that follows a stub, as the window has it. */
async function shown(answers: Answers = {}) {
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
        questions_revision: 0,
        calls: [],
      };
    },
    list_servers: () => serverList([server({ id: 'demo' })]),
    describe_server: () => ({ exit: null }) as ServerDetail,
    list_tools: () => ({ tools: [], gone: [], catalog_revision: 1, complete: true, problem: null }),
    query_log: () => ({ total: 0, first: 0, rows: [] }),
    report_ready: () => ({}),
    list_calls: () => ({ calls: [] }),
    list_prompts: () => ({ prompts, complete: true, problem: null }),
    describe_prompt: ({ index }) => {
      const summary = prompts[index]!;
      const { name, description } = summary;
      return { summary, name, description, definition: '{"name":"greet"}' } as PromptDetail;
    },
    complete_argument: () => ({ values: ['Ada', 'Grace'], total: 2, has_more: false }),
    ...answers,
  });
  const session = new Session(stub);
  await session.run(stop.signal, () => Promise.resolve());
  const target = document.body.appendChild(document.createElement('div'));
  const panel = mount(PromptsPanel, { target, props: { session } });
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
  await seen('[data-field="name"] input');
  return { stub, session, panel, find, seen, target };
}

function press(target: EventTarget, key: string, init: KeyboardEventInit = {}): void {
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init }));
  flushSync();
}

function type(input: HTMLElement, text: string): void {
  (input as HTMLInputElement).value = text;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
}

const words = (element: Element | null): string => element?.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '';

describe('the prompts panel, by keyboard', () => {
  it('fills in a prompt with a suggestion and gets it', async () => {
    const { stub, find, seen } = await shown({
      send_request: () =>
        got(1, {
          result: payload({ description: 'Hi', messages: [say('user', 'Greet'), say('assistant', 'Hello')] }),
        }),
    });
    const name = await seen('[data-field="name"] input');
    name.focus();
    press(name, 'ArrowDown');
    await seen('[role="listbox"][aria-label="Suggestions for name"]');
    press(name, 'ArrowDown');
    press(name, 'ArrowDown');
    press(name, 'Enter');
    expect((name as HTMLInputElement).value).toBe('Grace');
    expect(stub.requests('send_request'), 'taking a suggestion sends nothing').toEqual([]);
    press(name, 'Enter');
    await seen('[data-role="assistant"]');
    expect(stub.requests('send_request')[0]?.params).toBe('{"name":"greet","arguments":{"name":"Grace"}}');
    expect(words(find('[data-role="user"] h4'))).toBe('○ user 1');
    expect(words(find('[data-role="assistant"] h4'))).toBe('◆ assistant 2');
    expect(words(find('[data-result-status]'))).toContain('12.0 ms');
  });

  it('tells what is missing beside its field, and gets it when asked again', async () => {
    const { stub, panel, find, seen } = await shown({ send_request: () => got(1, { status: 'running' }) });
    panel.call();
    flushSync();
    const input = await seen('[data-field="name"] [aria-invalid="true"]');
    expect(words(document.getElementById(input.getAttribute('aria-describedby')!.split(' ')[1]!))).toContain(
      'the server requires it',
    );
    await vi.waitFor(() => expect(document.activeElement).toBe(input));
    expect(stub.requests('send_request')).toEqual([]);
    expect(words(find('[data-action="get"]'))).toContain('Get anyway');
    panel.call();
    await seen('[data-result-status="running"]');
    expect(stub.requests('send_request')[0]?.params).toBe('{"name":"greet"}');
  });

  it('goes from prompt to prompt and keeps what was typed', async () => {
    const { find, seen } = await shown();
    type(await seen('[data-field="name"] input'), 'Ada');
    const list = find('[role="listbox"][aria-label="Prompts"]')!;
    press(list, 'ArrowDown');
    await vi.waitFor(() => expect(words(find('[data-pane="prompt"] h3'))).toBe('daily'));
    expect(words(find('[data-pane="prompt"] form'))).toBe('It has no arguments');
    press(list, 'End');
    await vi.waitFor(() => expect(words(find('[data-pane="prompt"]'))).toContain('`name` is missing'));
    expect(find('[data-action="get"]'), 'it can not be got').toBeNull();
    press(list, 'Home');
    const again = await seen('[data-field="name"] input');
    expect((again as HTMLInputElement).value).toBe('Ada');
  });

  it('filters, and Esc clears the filter', async () => {
    const { session, find } = await shown();
    const filter = find('[data-filter="prompts"]')!;
    type(filter, 'dai');
    expect(session.prompts.shown.map((each) => each.name)).toEqual(['daily']);
    press(filter, 'Escape');
    expect(session.prompts.shown).toHaveLength(3);
  });
});

describe('what a prompt gave', () => {
  const talk = (count: number): Payload =>
    payload({ messages: Array.from({ length: count }, (_, place) => say('user', `message ${place}`)) });

  it('is shown as far as two hundred messages, and the rest is counted', async () => {
    const { find, seen, target } = await shown({
      list_calls: () => ({ calls: [got(1, { result: talk(230) })] }),
    });
    await seen('[data-role="user"]');
    await vi.waitFor(() => expect(target.querySelectorAll('[data-role]')).toHaveLength(200), 30_000);
    expect(words(find('[data-left]'))).toBe('30 more messages in the JSON below');
  });

  it('is compared with the one before', async () => {
    const { find, seen } = await shown({
      list_calls: () => ({
        calls: [
          got(1, { result: payload({ messages: [say('user', 'one\nsame')] }) }),
          got(2, { result: payload({ messages: [say('user', 'two\nsame')] }) }),
        ],
      }),
    });
    (await seen('[data-action="compare"]')).click();
    await seen('[data-line="added"]');
    expect(words(find('[data-line="added"]'))).toContain('two');
    expect(words(find('[data-line="removed"]'))).toContain('one');
    expect(find('[data-role]'), 'in the place of the messages').toBeNull();
  });

  it('is an error that is told in full, with no message at all', async () => {
    const error = {
      code: 'server-error' as const,
      title: 'The server refused',
      message: '-32602: `name` is missing',
      hint: null,
      chain: [],
      context: [],
    };
    const { find, seen } = await shown({
      list_calls: () => ({ calls: [got(1, { status: 'protocol-error', error })] }),
    });
    await seen('[data-error="server-error"]');
    expect(find('[data-action="copy-all"]')).toBeNull();
  });

  it('says that a list did not come, and asks again', async () => {
    const { stub, seen } = await shown({
      list_prompts: () => ({ prompts, complete: true, problem: 'page 2 did not arrive' }),
      refresh_catalog: () => ({}),
    });
    (await seen('[data-retry="prompts"]')).click();
    expect(stub.requests('refresh_catalog')).toEqual([{ server: 'demo', catalog: 'prompts' }]);
  });
});
