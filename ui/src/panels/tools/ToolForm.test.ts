import { flushSync, mount, unmount } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type {
  ApiError,
  SavedCall,
  ServerDetail,
  ToolDetail,
  ToolSummary,
  Variable,
} from '../../backend/bindings';
import { Session } from '../../model/session.svelte';
import { call, server, serverList, Stub, type Answers } from '../../model/stub';
import { Drafts } from './drafts.svelte';
import ToolForm from './ToolForm.svelte';

let close = (): void => undefined;
let page: HTMLElement;
let session: Session;
let stub: Stub;
afterEach(() => close());

const schema = JSON.stringify({ type: 'object', properties: { text: { type: 'string' } } });
const summary: ToolSummary = {
  index: 0,
  name: 'add',
  title: null,
  description: null,
  hints: { read_only: null, destructive: null, idempotent: null, open_world: null },
  task: null,
  icon: null,
  change: null,
  pinned: false,
  problem: null,
};

function declaring(capabilities: unknown): ServerDetail {
  const server_capabilities = capabilities === null ? null : JSON.stringify(capabilities);
  return { summary: server({ id: 'demo' }), server_capabilities } as ServerDetail;
}

async function open(part: Partial<ToolSummary> = {}, answers: Answers = {}): Promise<void> {
  let saved: SavedCall[] = [
    {
      id: 1,
      server: 'demo',
      method: 'tools/call',
      target: 'add',
      name: 'first',
      arguments: '{"text":"saved"}',
    },
  ];
  let variables: Variable[] = [{ name: 'city', value: 'Oslo' }];
  const detail: ToolDetail = {
    summary: { ...summary, ...part },
    name: summary.name,
    description: null,
    input_schema: schema,
    output_schema: null,
    definition: '{}',
    icons: null,
  };
  stub = new Stub({
    list_servers: () => serverList([server({ id: 'demo' })]),
    describe_server: () => declaring({ tasks: { requests: { tools: { call: {} } } } }),
    list_tools: () => ({
      tools: [detail.summary],
      gone: [],
      catalog_revision: 1,
      complete: true,
      problem: null,
    }),
    describe_tool: () => detail,
    describe_change: () => ({
      before: '{"name":"add"}',
      after: '{"name":"add","x":1}',
      before_sha256: 'aaaa',
      after_sha256: 'bbbb',
      seen: 5,
    }),
    list_calls: () => ({ calls: [] }),
    check_arguments: () => ({ violations: [], note: null }),
    call_tool: () => call(1, 'running'),
    recall_arguments: () => ({ arguments: null }),
    list_saved_calls: () => ({ calls: saved }),
    save_call: (request) => {
      saved = [...saved, { id: 2, ...request }];
      return { id: 2, ...request };
    },
    remove_saved_call: ({ id }) => {
      saved = saved.filter((each) => each.id !== id);
      return {};
    },
    list_variables: () => ({ variables }),
    set_variable: ({ name, value }) => {
      variables = [...variables, { name, value: value ?? '' }];
      return { variables };
    },
    accept_changes: () => ({}),
    pin_tool: () => ({}),
    ...answers,
  });
  session = new Session(stub);
  (await session.servers.prepare(1))();
  (await session.tools.prepare(session.servers.current))();
  (await session.saved.prepare(null, null))();
  await session.calls.open('demo', 'add');
  page = document.body.appendChild(document.createElement('div'));
  const props = { session, detail, drafts: new Drafts(), server: 'demo' };
  const mounted = mount(ToolForm, { target: page, props });
  flushSync();
  close = () => {
    close = () => undefined;
    void unmount(mounted);
    page.remove();
  };
}

const find = <E extends HTMLElement = HTMLElement>(selector: string): E => {
  const element = document.querySelector<E>(selector);
  if (element === null) throw new Error(`no ${selector} in ${page.textContent}`);
  return element;
};
const seen = (selector: string): Promise<HTMLElement> =>
  vi.waitFor(
    () => {
      flushSync();
      return find(selector);
    },
    { timeout: 10_000 },
  );
const gone = (selector: string): Promise<void> =>
  vi.waitFor(() => {
    flushSync();
    expect(document.querySelector(selector)).toBeNull();
  });
function click(selector: string): void {
  find(selector).click();
  flushSync();
}
function type(selector: string, text: string): void {
  const element = find<HTMLInputElement>(selector);
  element.value = text;
  element.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
}
function press(key: string, init: KeyboardEventInit = {}): void {
  const target = document.activeElement ?? document.body;
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init }));
  flushSync();
}
/** Chooses from a menu that is open, once it is where it belongs. */
async function choose(id: string): Promise<void> {
  (await seen(`.menu.placed [data-menu="${id}"]`)).click();
  flushSync();
}
const field = '[data-field="text"] textarea';
const called = (): unknown[] => stub.requests('call_tool');
const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 10_000 });

describe('the options of a call', () => {
  it('go with it', async () => {
    await open({ task: 'optional' });
    click('[data-action="options"]');
    type('[data-option="timeout"]', '2.5');
    type('[data-option="meta"]', '{"trace":"x"}');
    click('[data-option="task"]');
    type('[data-option="ttl"]', '60');
    click('[data-action="call"]');
    await until(() =>
      expect(called()).toEqual([
        {
          server: 'demo',
          tool: 'add',
          arguments: '{}',
          meta: '{"trace":"x"}',
          timeout_ms: 2500,
          task: { ttl_ms: 60_000 },
        },
      ]),
    );
  });

  it('that are wrong are opened and focused instead of a call', async () => {
    await open();
    click('[data-action="options"]');
    type('[data-option="meta"]', '[1]');
    click('[data-action="options"]');
    click('[data-action="call"]');
    const wrong = await seen('[data-option="meta"]');
    await until(() => expect(document.activeElement).toBe(wrong));
    expect(wrong.getAttribute('aria-invalid')).toBe('true');
    expect(called()).toEqual([]);
  });

  it('make a task of it where the tool asks for one, and offer none where it does not', async () => {
    await open({ task: 'required' });
    click('[data-action="call"]');
    await until(() => expect(called()).toMatchObject([{ task: { ttl_ms: null } }]));
    close();
    await open({ task: 'forbidden' });
    click('[data-action="options"]');
    expect(document.querySelector('[data-option="task"]')).toBeNull();
  });

  it('make no task where the server did not declare that it takes any, and say so', async () => {
    await open({ task: 'required' }, { describe_server: () => declaring({ tasks: {}, tools: {} }) });
    click('[data-action="options"]');
    const option = find<HTMLInputElement>('[data-option="task"]');
    expect([option.disabled, option.checked]).toEqual([true, false]);
    expect(option.closest('label')?.textContent.replaceAll(/\s+/g, ' ')).toContain(
      'the tool asks for it, but the server did not declare tasks.requests.tools.call',
    );
    click('[data-action="call"]');
    await until(() => expect(called()).toHaveLength(1));
    expect(called()[0]).not.toHaveProperty('task');
  });

  it('make a task where nobody knows what the server declared', async () => {
    await open({ task: 'required' }, { describe_server: () => declaring(null) });
    click('[data-action="call"]');
    await until(() => expect(called()).toMatchObject([{ task: { ttl_ms: null } }]));
  });
});

describe('saved calls', () => {
  it('fill the form, with nothing but keys', async () => {
    await open();
    find('[data-action="saved"]').focus();
    click('[data-action="saved"]');
    await until(() => expect(document.activeElement).toBe(find('[data-menu="saved-1"]')));
    (document.activeElement as HTMLElement).click();
    flushSync();
    expect(find<HTMLTextAreaElement>(field).value).toBe('saved');
    await gone('[role="menu"]');
  });

  it('get a name by Ctrl S, Enter, and are one more from then on', async () => {
    await open();
    type(field, 'to {{city}}');
    find(field).focus();
    press('s', { ctrlKey: true });
    await until(() => expect(document.activeElement).toBe(find('[data-naming] input')));
    type('[data-naming] input', 'second');
    find<HTMLFormElement>('[data-naming]').requestSubmit();
    await gone('[data-naming]');
    expect(stub.requests('save_call')).toEqual([
      {
        server: 'demo',
        method: 'tools/call',
        target: 'add',
        name: 'second',
        arguments: '{"text":"to {{city}}"}',
      },
    ]);
    expect(find('[data-action="saved"]').textContent).toContain('2');
    expect(document.activeElement).toBe(find('[data-action="saved"]'));
  });

  it('of a name that is taken are replaced only in so many words', async () => {
    await open();
    click('[data-action="saved"]');
    await choose('save-as');
    await seen('[data-naming] input');
    type('[data-naming] input', 'first');
    expect(find('[data-naming] button').textContent).toBe('Replace');
    find('[data-naming] input').focus();
    press('Escape');
    expect(document.querySelector('[data-naming]')).toBeNull();
    expect(stub.requests('save_call')).toEqual([]);
  });

  it('are removed', async () => {
    await open();
    click('[data-action="saved"]');
    await choose('remove');
    await choose('remove-1');
    await until(() => expect(session.saved.calls).toEqual([]));
  });
});

describe('variables in arguments', () => {
  it('are filled in before they are checked and sent', async () => {
    await open();
    type(field, 'to {{city}}');
    click('[data-action="call"]');
    await until(() => expect(called()).toMatchObject([{ arguments: '{"text":"to Oslo"}' }]));
    expect(stub.requests('check_arguments').at(-1)?.arguments).toBe('{"text":"to Oslo"}');
    expect(find<HTMLTextAreaElement>(field).value, 'the form keeps the name').toBe('to {{city}}');
  });

  it('that nobody knows hold the call back and are named, until they have a value', async () => {
    await open();
    type(field, '{{town}}');
    click('[data-action="call"]');
    expect(find('[data-unknown]').textContent).toContain('town');
    click('[data-action="give-variable"]');
    await seen('dialog [data-variable-name]');
    expect(find<HTMLInputElement>('[data-variable-name]').value).toBe('town');
    expect(called()).toEqual([]);
    type('[data-variable-value]', 'Bergen');
    find<HTMLFormElement>('dialog form').requestSubmit();
    await gone('[data-unknown]');
    find<HTMLDialogElement>('dialog').close();
    await gone('dialog');
    click('[data-action="call"]');
    await until(() => expect(called()).toMatchObject([{ arguments: '{"text":"Bergen"}' }]));
  });

  it('can be sent as they stand', async () => {
    await open();
    type(field, '{{town}}');
    click('[data-action="options"]');
    click('[data-option="fill"]');
    click('[data-action="call"]');
    await until(() => expect(called()).toMatchObject([{ arguments: '{"text":"{{town}}"}' }]));
  });
});

describe('arguments that were sent before', () => {
  it('are there again, and it is said', async () => {
    await open({}, { recall_arguments: () => ({ arguments: '{"text":"last"}' }) });
    await seen('[data-recalled]');
    expect(stub.requests('recall_arguments')).toEqual([
      { server: 'demo', method: 'tools/call', target: 'add' },
    ]);
    expect(find<HTMLTextAreaElement>(field).value).toBe('last');
    type(field, 'other');
    expect(document.querySelector('[data-recalled]'), 'they are no longer those').toBeNull();
    type(field, 'last');
  });

  it('make room for an empty form', async () => {
    await open({}, { recall_arguments: () => ({ arguments: '{"text":"last"}' }) });
    (await seen('[data-action="start-empty"]')).click();
    flushSync();
    expect(find<HTMLTextAreaElement>(field).value).toBe('');
  });
});

describe('a tool that changed', () => {
  const pinned: ApiError = {
    code: 'pinned',
    title: 'The tool is pinned',
    message: 'it is no longer what it was',
    hint: null,
    chain: [],
    context: [],
  };

  it('shows what it was and what it is', async () => {
    await open({ change: 'changed' });
    await session.tools.select(0);
    flushSync();
    await seen('[data-changes] [data-line="added"]');
    click('[data-action="accept"]');
    await until(() =>
      expect(stub.requests('accept_changes')).toEqual([{ server: 'demo', tool: 'add', catalog_revision: 1 }]),
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(called(), 'to look at it is not to call it').toEqual([]);
  });

  it('and is pinned is not called, and both ways out stand beside why', async () => {
    await open(
      { change: 'changed', pinned: true },
      {
        call_tool: () => {
          throw pinned;
        },
      },
    );
    click('[data-action="call"]');
    expect((await seen('[data-error="pinned"]')).textContent).toContain('no longer what it was');
    expect(find('[data-action="refused-accept"]').textContent).toContain('Mark as seen');
    click('[data-action="refused-unpin"]');
    await gone('[data-error="pinned"]');
    expect(stub.requests('pin_tool')).toEqual([
      { server: 'demo', tool: 'add', pinned: false, catalog_revision: 1 },
    ]);
  });
});

describe('a call that is repeated', () => {
  const run = {
    id: 3,
    server: 'demo',
    tool: 'add',
    times: 100,
    at_once: 1,
    running: true,
    done: 40,
    tool_errors: 2,
    protocol_errors: 0,
    unanswered: 0,
    elapsed_ms: 200,
    shortest_ms: 1,
    p50_ms: 2,
    p95_ms: 3,
    p99_ms: 4,
    longest_ms: 5,
    first_error: null,
  };
  const answers: Answers = { repeat_tool: () => run, cancel_repeat: () => ({}) };

  async function openRepeat(): Promise<void> {
    click('[data-action="tool-menu"]');
    await choose('repeat');
    await seen('[data-repeat-times]');
  }

  it('asks twice where the tool does not claim to be read only', async () => {
    await open({}, answers);
    await openRepeat();
    click('[data-action="repeat"]');
    expect(stub.requests('repeat_tool')).toEqual([]);
    expect(find('[data-action="repeat"]').textContent).toContain('call it 100 times');
    type('[data-repeat-times]', '200');
    expect(find('[data-action="repeat"]').textContent, 'another number is another question').toBe('Start');
    click('[data-action="repeat"]');
    click('[data-action="repeat"]');
    await until(() =>
      expect(stub.requests('repeat_tool')).toEqual([
        { server: 'demo', tool: 'add', arguments: '{}', times: 200, at_once: 1 },
      ]),
    );
  });

  it('shows how far it is and what came of it, and can be stopped', async () => {
    await open({ hints: { ...summary.hints, read_only: true } }, answers);
    await openRepeat();
    click('[data-action="repeat"]');
    expect((await seen('[data-repeat-done]')).textContent).toContain('40 of 100');
    expect(find('[data-repeat-failed]').textContent).toContain('2 failed');
    expect(find('[data-repeat-pace]').textContent).toBe('200');
    click('[data-action="stop-repeat"]');
    await until(() => expect(stub.requests('cancel_repeat')).toEqual([{ repeat: 3 }]));
  });

  it('is not begun with numbers that are none', async () => {
    await open({ hints: { ...summary.hints, read_only: true } }, answers);
    await openRepeat();
    for (const wrong of ['0', '100001', 'x', '']) {
      type('[data-repeat-times]', wrong);
      expect(find<HTMLButtonElement>('[data-action="repeat"]').disabled, wrong).toBe(true);
    }
  });
});
