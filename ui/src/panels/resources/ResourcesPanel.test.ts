import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiError, Call, ResourceSummary, ServerDetail, Subscription } from '../../backend/bindings';
import { Session } from '../../model/session.svelte';
import { call, server, serverList, Stub, type Answers } from '../../model/stub';
import ResourcesPanel from './ResourcesPanel.svelte';

let close = (): void => undefined;
beforeEach(() => localStorage.clear());
afterEach(() => close());

function resource(index: number, uri: string, part: Partial<ResourceSummary> = {}): ResourceSummary {
  const none = { title: null, description: null, mime_type: null, size: null, problem: null };
  return { index, uri, name: uri.slice(uri.lastIndexOf('/') + 1), ...none, ...part };
}

const entries = [
  resource(0, 'file:///docs/a.md', { size: 1200, mime_type: 'text/markdown' }),
  resource(1, 'file:///docs/b.md'),
  resource(2, 'x://<img src=x>', { name: '<img src=x onerror=alert(1)>', title: 'safe\u202etxt' }),
  resource(3, '', { name: 'odd one', problem: '`uri` is missing' }),
];
const template = {
  index: 0,
  uri_template: 'w://{city}',
  name: 'weather',
  title: null,
  description: null,
  mime_type: null,
  variables: ['city'],
  problem: null,
};
const objected: ApiError = {
  code: 'objected',
  title: 'Not sent',
  message: 'the server did not declare `resources`',
  hint: null,
  chain: [],
  context: [],
};

/** The panel on a core of the test, with whatever that tells the person. */
async function panel(answers: Answers = {}) {
  const calls: Call[] = [];
  let text = 'first';
  let subscriptions: Subscription[] = [];
  let state = server({ id: 'demo' });
  const stub = new Stub({
    list_servers: () => serverList([state]),
    describe_server: () =>
      ({
        summary: state,
        server_capabilities: '{"tools":{},"resources":{"subscribe":true}}',
      }) as ServerDetail,
    list_resources: () => ({ resources: entries, complete: true, problem: null }),
    list_templates: () => ({ templates: [template], complete: true, problem: null }),
    describe_resource: ({ index }) => ({
      summary: entries[index]!,
      uri: entries[index]!.uri,
      description: `About ${index}`,
      definition: JSON.stringify({ annotations: { audience: ['user'], priority: 0.5 } }),
    }),
    describe_template: () => ({ summary: template, description: null, definition: '{}' }),
    list_calls: ({ target }) => ({ calls: calls.filter((each) => each.target === target) }),
    read_call: ({ call: id }) => calls.find((each) => each.id === id)!,
    list_subscriptions: () => ({ subscriptions, unasked: 0, missed: 0 }),
    subscribe_resource: ({ uri }) => {
      subscriptions = [{ uri, since: 1, updates: 0, recent: [] }];
      return {};
    },
    unsubscribe_resource: () => ({}),
    expand_template: ({ values }) => ({ uri: `w://${values['city'] ?? ''}` }),
    complete_argument: () => ({ values: [], total: null, has_more: false }),
    send_request: ({ params }) => {
      const { uri } = JSON.parse(params ?? '{}') as { uri: string };
      const result = JSON.stringify({ contents: [{ uri, text }] });
      const begun: Call = {
        ...call(calls.length + 1, 'ok'),
        method: 'resources/read',
        target: uri,
        elapsed_ms: 3,
        result: { text: result, shown: result.length, size: result.length },
      };
      calls.push(begun);
      return begun;
    },
    ...answers,
  });
  const session = new Session(stub);
  (await session.servers.prepare(1))();
  const target = document.body.appendChild(document.createElement('div'));
  const mounted = mount(ResourcesPanel, { target, props: { session } }) as { call: () => void };
  close = () => {
    void unmount(mounted);
    target.remove();
  };
  return {
    stub,
    session,
    panel: mounted,
    sent: () => stub.requests('send_request').map((request) => request.params),
    /** The server said that something changed, and reads as that from now on. */
    async update(now: string, updates: number): Promise<void> {
      text = now;
      subscriptions = subscriptions.map((each) => ({ ...each, updates, recent: [Date.now()] }));
      state = { ...state, news_revision: state.news_revision + 1 };
      (await session.resources.prepare(state, null))();
    },
  };
}

const find = <E extends HTMLElement>(selector: string): E | null => document.querySelector<E>(selector);
const words = (selector: string): string => find(selector)?.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '';

async function seen(selector: string, text = ''): Promise<HTMLElement> {
  return vi.waitFor(
    () => {
      flushSync();
      const element = find(selector);
      if (element === null) throw new Error(`no ${selector}`);
      expect(element.textContent.replaceAll(/\s+/g, ' ')).toContain(text);
      return element;
    },
    { timeout: 30_000 },
  );
}

function press(target: EventTarget, key: string): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
  target.dispatchEvent(event);
  flushSync();
  return event;
}

function fill(input: HTMLElement, value: string): void {
  (input as HTMLInputElement).value = value;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
}

describe('the resources of a server', () => {
  it('are gone through and read by keys alone', async () => {
    const { panel: shown, sent } = await panel();
    await seen('[data-resource="file:///docs/a.md"][aria-selected="true"]');
    await seen('[data-annotation="audience"]', "user the server's own claim");
    const list = find('[role="listbox"]')!;
    press(list, 'ArrowDown');
    await seen('[data-pane="resource"]', 'About 1');
    expect(sent(), 'looking is not reading').toEqual([]);
    shown.call();
    await seen('[data-content]', 'first');
    expect(sent()).toEqual(['{"uri":"file:///docs/b.md"}']);
    press(list, 'Enter');
    await seen('[data-changed="false"]', 'the same as before');
    expect(sent()).toHaveLength(2);
  });

  it('come before the templates, between which no key stops at the heading', async () => {
    await panel();
    await seen('[data-resource]');
    const list = find('[role="listbox"]')!;
    for (let step = 0; step < 4; step += 1) press(list, 'ArrowDown');
    await seen('[data-template="w://{city}"][aria-selected="true"]');
    press(list, 'ArrowUp');
    await seen('[data-resource=""][aria-selected="true"]');
    expect(words('[data-invalid]')).toContain("can't be read: uri is missing");
    expect(find('[data-action="read"]'), 'there is nothing to read').toBeNull();
  });

  it('are text and nothing else, whatever they are called', async () => {
    const { session } = await panel();
    await seen('[data-resource]');
    void session.resources.look('x://<img src=x>');
    await seen('[data-pane="resource"] h3', 'safe\\u202etxt');
    expect(find('img')).toBeNull();
    expect(words('[data-uri]')).toContain('x://<img src=x>');
  });

  it('fold and unfold as a tree by the arrow keys', async () => {
    const { session } = await panel();
    await seen('[data-resource]');
    find('[data-segment="tree"]')!.click();
    await seen('[role="tree"]');
    const tree = find('[role="tree"]')!;
    const folder = (): HTMLElement | null => find('[data-folder="file:///docs/"]');
    expect(folder()?.textContent).toContain('2');
    press(tree, 'ArrowLeft');
    expect(tree.getAttribute('aria-activedescendant'), 'from an entry to its folder').toBe(folder()?.id);
    press(tree, 'ArrowLeft');
    expect(folder()?.getAttribute('aria-expanded')).toBe('false');
    expect(find('[data-resource="file:///docs/b.md"]')).toBeNull();
    press(tree, 'ArrowRight');
    press(tree, 'ArrowRight');
    press(tree, 'ArrowDown');
    await seen('[data-resource="file:///docs/b.md"][aria-selected="true"]');
    expect(session.resources.choice).toMatchObject({ uri: 'file:///docs/b.md' });
  });

  it('are found by a filter, in which Esc takes it back', async () => {
    await panel();
    const filter = await seen('[data-filter="resources"]');
    await seen('[data-resource]');
    fill(filter, 'b.md');
    expect(find('[data-resource="file:///docs/a.md"]')).toBeNull();
    press(filter, 'ArrowDown');
    await seen('[data-resource="file:///docs/b.md"][aria-selected="true"]');
    press(filter, 'Escape');
    expect(find('[data-resource="file:///docs/a.md"]')).not.toBeNull();
  });
});

describe('a template', () => {
  it('shows the address that its values give, and reads it on Enter', async () => {
    const { session, sent } = await panel();
    await seen('[data-resource]');
    find('[data-template="w://{city}"]')!.click();
    const input = await seen('[data-variable="city"] input');
    fill(input, 'Oslo');
    await seen('[data-expanded="w://Oslo"]');
    expect(session.resources.uri).toBe('w://Oslo');
    press(input, 'Enter');
    await seen('[data-read-uri="w://Oslo"]');
    expect(sent()).toEqual(['{"uri":"w://Oslo"}']);
  });
});

describe('an address that is in no list', () => {
  const typed = async (uri: string): Promise<void> => {
    fill(await seen('[data-address]'), uri);
    find('[data-action="open-address"]')!.click();
  };

  it('can be read all the same', async () => {
    const { sent } = await panel();
    await seen('[data-resource]');
    await typed('y://z');
    await seen('[data-read-uri="y://z"]');
    expect(sent()).toEqual(['{"uri":"y://z"}']);
    expect(words('[data-pane="resource"] h3')).toBe('An address that is not listed');
  });

  it('of a server that offers none is sent when the person insists', async () => {
    const { stub } = await panel({
      list_resources: () => ({ resources: [], complete: true, problem: null }),
      list_templates: () => ({ templates: [], complete: true, problem: null }),
      describe_server: () =>
        ({ summary: server({ id: 'demo' }), server_capabilities: '{"tools":{}}' }) as ServerDetail,
      send_request: ({ anyway }) => {
        if (!anyway) throw objected;
        return { ...call(1, 'running'), method: 'resources/read', target: 'y://z' };
      },
    });
    await seen('[data-none]', 'This server offers no resources');
    await typed('y://z');
    await seen('[data-error="objected"]');
    (await seen('[data-action="read-anyway"]')).click();
    await seen('[data-read-status="running"]');
    expect(stub.requests('send_request').map((request) => request.anyway)).toEqual([false, true]);
  });
});

describe('a subscription', () => {
  it('is shown with what came of it, and an update with what it changed', async () => {
    const { update, sent } = await panel();
    await seen('[data-resource]');
    find('[data-action="read"]')!.click();
    await seen('[data-content]', 'first');
    find('[data-action="subscribe"]')!.click();
    await update('first', 0);
    await seen('[data-subscription]', 'ends with the connection');
    expect(find<HTMLInputElement>('[data-rereads]')?.checked).toBe(true);
    await update('second', 1);
    await seen('[data-changed="true"]', 'after an update: changed');
    expect(sent()).toHaveLength(2);
    expect(find('[data-updates="1"]')).not.toBeNull();
    find('[data-action="compare"]')!.click();
    await seen('[data-line="added"]', 'second');
    expect(words('[data-line="removed"]')).toContain('first');
  });
});

describe('a list that did not come', () => {
  it('is said so, and asked for again', async () => {
    const { stub } = await panel({
      list_templates: () => ({ templates: [], complete: true, problem: 'page 2 did not arrive' }),
      refresh_catalog: () => ({}),
    });
    await seen('[data-list-problem="templates"]', 'page 2 did not arrive');
    find('[data-retry="templates"]')!.click();
    await vi.waitFor(() =>
      expect(stub.requests('refresh_catalog')).toEqual([{ server: 'demo', catalog: 'templates' }]),
    );
  });
});
