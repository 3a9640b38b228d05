import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import App from './App.svelte';
import type { Backend } from './backend/backend';
import type { Commands } from './backend/bindings';
import { fakeBackend } from './backend/fake';
import { later } from './model/stub';

/** The whole window on the fake core, with what it asked and a hold on the answers of one server. */
let asked: { command: keyof Commands; request: unknown }[] = [];
let held: { server: string; until: Promise<null> } | null = null;
let close = (): void => undefined;

beforeEach(async () => {
  localStorage.clear();
  asked = [];
  held = null;
  const fake = fakeBackend('?rows=10');
  const backend: Backend = {
    async call(command, request) {
      asked.push({ command, request });
      if (command === 'list_tools' && held !== null && 'server' in request && request.server === held.server)
        await held.until;
      return fake.call(command, request);
    },
  };
  const target = document.body.appendChild(document.createElement('div'));
  const app = mount(App, { target, props: { backend } });
  close = () => {
    void unmount(app);
    target.remove();
  };
  await seen('[data-field="a"] input');
});
afterEach(() => close());

const find = <E extends HTMLElement>(selector: string): E | null => document.querySelector<E>(selector);
const calls = (): unknown[] => asked.filter((each) => each.command === 'call_tool');

async function seen(selector: string): Promise<HTMLElement> {
  return vi.waitFor(
    () => {
      const element = find(selector);
      if (element === null) throw new Error(`no ${selector}`);
      return element;
    },
    { timeout: 30_000 },
  );
}

function press(target: EventTarget, init: KeyboardEventInit): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, composed: true, ...init });
  target.dispatchEvent(event);
  flushSync();
  return event;
}

const callKey = { key: 'Enter', ctrlKey: true };

describe('Ctrl+Enter', () => {
  /** The core says what does not fit, so it takes a moment. */
  const refused = (): Promise<void> =>
    vi.waitFor(
      () => expect(find('[data-action="call"]')?.textContent, 'it was refused').toContain('Call anyway'),
      { timeout: 30_000 },
    );

  it('asks before it calls with what does not fit, and calls when pressed again', async () => {
    press(window, callKey);
    press(window, callKey);
    await refused();
    expect(calls(), 'pressed twice before anything was said').toHaveLength(0);
    press(window, callKey);
    await vi.waitFor(() => expect(calls()).toHaveLength(1), { timeout: 30_000 });
  });

  it('never takes "Call anyway" while it is held down', async () => {
    press(window, callKey);
    await refused();
    press(window, { ...callKey, repeat: true });
    expect(calls()).toHaveLength(0);
    expect(find('[data-action="call"]')?.textContent).toContain('Call anyway');
  });

  it('does nothing while the help is open', async () => {
    press(document.body, { key: '?' });
    await seen('dialog[open]');
    press(window, callKey);
    expect(find('[data-action="call"]')?.textContent, 'not even tried').not.toContain('Call anyway');
    expect(calls()).toHaveLength(0);
  });
});

describe('Enter that is held down', () => {
  it('neither presses the button again nor submits again from a field', () => {
    for (const selector of ['[data-action="call"]', '[data-field="a"] input']) {
      const target = find(selector)!;
      expect(press(target, { key: 'Enter' }).defaultPrevented, selector).toBe(false);
      expect(press(target, { key: 'Enter', repeat: true }).defaultPrevented, selector).toBe(true);
    }
  });
});

describe('a server that was just selected', () => {
  it('is not shown with the tools of the last one, nor calls them', async () => {
    const arrival = later<null>();
    held = { server: 'filesystem', until: arrival.promise };
    find('[data-server="filesystem"]')!.click();
    await seen('[aria-busy="true"]');
    expect(find('h2.ellipsis')?.textContent).toContain('filesystem');
    expect(find('[data-tool="add"]')).toBeNull();
    press(window, callKey);
    press(window, callKey);
    expect(calls()).toHaveLength(0);

    arrival.resolve(null);
    await seen('[data-field="text"]');
    expect(find('[aria-busy="true"]')).toBeNull();
  });
});

describe('a server reached by HTTP', () => {
  const words = (selector: string): string =>
    find(selector)?.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '';

  it('says where it is and has no stderr', async () => {
    find('[data-server="calendar"]')!.click();
    await seen('[data-tool="echo"]');
    expect(find('[data-tab="stderr"]'), 'it is no process of ours').toBeNull();
    find('[data-tab="overview"]')!.click();
    await seen('[data-url]');
    expect(words('[data-url]'), 'the whole address is there to be copied').toContain(
      'https://calendar.example.com/organisations/harbour/teams/navigation-and-tides/servers/calendar/mcp?region=north',
    );
    expect(words('.overview')).toContain('Streamable HTTP, found out by asking');
    expect(words('.overview'), 'secrets are masked').toContain('Authorization ‹secret:1f0c22ab›');
    expect(words('.overview')).toContain('‹session:3fa2b1c0›');
    expect(words('[data-validity="warn"]'), 'a certificate near its end').toBe('▲ expires in 6 days');
  });

  it('says what it asks for before it lets anyone in', async () => {
    find('[data-server="issues"]')!.click();
    const report = await seen('[data-error]');
    for (const fact of ['401', 'Bearer', '/.well-known/oauth-protected-resource/', '\\u202e'])
      expect(report.textContent, fact).toContain(fact);
  });

  it('that lost its session says that a new one is begun', async () => {
    find('[data-server="renewing"]')!.click();
    await seen('[data-server-phase]');
    expect(words('[data-server-phase]')).toBe('◐ starting: the session was lost; beginning a new one');
    expect(words('[data-server="renewing"]')).toContain('beginning a new one');
  });
});
