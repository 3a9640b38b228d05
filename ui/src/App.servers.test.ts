import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import App from './App.svelte';
import type { Backend } from './backend/backend';
import type { Commands } from './backend/bindings';
import { fakeBackend } from './backend/fake';

/** The whole window on the fake core, as far as servers are written down, arranged, brought in and found. */
let asked: { command: keyof Commands; request: unknown }[] = [];
let close = (): void => undefined;

beforeEach(async () => {
  localStorage.clear();
  asked = [];
  const fake = fakeBackend('?rows=10');
  const backend: Backend = {
    call(command, request) {
      asked.push({ command, request });
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
const words = (selector: string): string => find(selector)?.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '';
function requests<C extends keyof Commands>(command: C): Commands[C][0][] {
  return asked.filter((each) => each.command === command).map((each) => each.request as Commands[C][0]);
}

async function until<T>(what: string, look: () => T | null | undefined | false): Promise<T> {
  return vi.waitFor(
    () => {
      flushSync();
      const found = look();
      if (!found) throw new Error(`no ${what}`);
      return found;
    },
    { timeout: 30_000 },
  );
}

const seen = (selector: string): Promise<HTMLElement> => until(selector, () => find(selector));

function press(target: EventTarget, key: string, init: KeyboardEventInit = {}): void {
  target.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, composed: true, ...init }),
  );
  flushSync();
}

function fill(selector: string, text: string): void {
  const input = find<HTMLInputElement>(selector)!;
  input.value = text;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
}

async function menuOf(server: string): Promise<void> {
  const row = find(`[data-server="${server}"]`)!;
  row.focus();
  row.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }));
  await seen('[role="menu"]');
}

describe('the menu of a server', () => {
  it('is gone through by keys and gives the focus back', async () => {
    await menuOf('filesystem');
    await until('focus', () => document.activeElement?.matches('[data-menu="disconnect"]'));
    press(document.activeElement!, 'ArrowDown');
    expect(document.activeElement?.matches('[data-menu="reconnect"]')).toBe(true);
    press(document.activeElement!, 'd');
    press(document.activeElement!, 'd');
    expect(document.activeElement?.matches('[data-menu="duplicate"]'), 'by first letters').toBe(true);
    press(document.activeElement!, 'Escape');
    await until('end', () => find('[role="menu"]') === null);
    expect((document.activeElement as HTMLElement).dataset['server']).toBe('filesystem');
  });

  it('has no entry for what is written in no file', async () => {
    await menuOf('demo');
    for (const absent of ['edit', 'duplicate', 'disable', 'remove'])
      expect(find(`[data-menu="${absent}"]`), absent).toBeNull();
  });

  it('asks before it removes', async () => {
    await menuOf('github');
    find('[data-menu="remove"]')!.click();
    await seen('dialog[open]');
    expect(words('dialog[open]'), 'what comes instead is said').toContain('~/.mcp.json');
    expect(requests('remove_server')).toEqual([]);
    find('[data-action="remove-server"]')!.click();
    await until('removal', () => find('[data-server="github"]') === null);
    expect(requests('remove_server')).toEqual([{ server: 'github' }]);
  });

  it('opens the doctor and examines', async () => {
    await menuOf('github');
    find('[data-menu="doctor"]')!.click();
    await until('verdict', () => find('[data-verdict="ill"]'));
    expect(words('[data-pane="doctor"]')).toContain('install Node.js');
    expect(requests('examine_server')).toEqual([{ server: 'github' }]);
  });
});

describe('the order of servers', () => {
  const group = (name: string): string[] =>
    [...document.querySelectorAll<HTMLElement>(`[data-section="group:${name}"] [data-server]`)].map(
      (row) => row.dataset['server'] ?? '',
    );

  it('is changed by Alt and an arrow', async () => {
    expect(group('Shop')).toEqual(['filesystem', 'postgres', 'github']);
    press(find('[data-server="filesystem"]')!, 'ArrowDown', { altKey: true });
    await until('move', () => group('Shop')[1] === 'filesystem');
    expect(requests('arrange_servers')[0]?.groups[0]).toEqual({
      name: 'Shop',
      servers: ['postgres', 'filesystem', 'github'],
    });
  });

  it('has groups that are renamed by F2 and folded by a click', async () => {
    press(find('[data-group="group:Shop"]')!, 'F2');
    const input = await seen('[data-action="group-name"]');
    (input as HTMLInputElement).value = 'Harbour';
    press(input, 'Enter');
    await seen('[data-group="group:Harbour"]');
    find('[data-group="group:Harbour"]')!.click();
    await until('fold', () => group('Harbour').length === 0);
  });
});

describe('a server that is added', () => {
  it('is saved, looked at, and not started', async () => {
    find('[data-action="add-server"]')!.click();
    await seen('#form-name');
    fill('#form-name', 'Brave');
    fill('#form-command', 'npx -y brave --x');
    find('[data-action="split"]')!.click();
    await until('arguments', () => document.querySelectorAll('[data-argument]').length === 3);
    await until('launch line', () => words('[data-launch-line]') === 'npx -y brave --x');
    press(find('#form-name')!, 's', { ctrlKey: true });
    await until('row', () => find('[data-server="Brave"][aria-current]'));
    expect(requests('save_draft')[0]).toMatchObject({
      draft: { name: 'Brave', reach: { command: 'npx', args: ['-y', 'brave', '--x'] } },
      target: 'global',
    });
    expect(requests('connect_server'), 'saving starts nothing').toEqual([]);
    await seen('[data-notice="said"]');
    expect(words('[data-notice="said"]')).toContain('nothing was started');
  });

  it('waits in the list while one looks at something else', async () => {
    find('[data-action="add-server"]')!.click();
    await seen('#form-name');
    fill('#form-name', 'Half');
    find('[data-server="demo"]')!.click();
    await seen('.begun');
    expect(find('#form-name')).toBeNull();
    find('.begun')!.click();
    await until('the form', () => find<HTMLInputElement>('#form-name')?.value === 'Half');
  });
});

it('what was typed for a tool is there after a visit to another room', async () => {
  fill('[data-field="a"] input', '19');
  find('[data-action="import"]')!.click();
  await seen('[data-entry]');
  find('[data-server="demo"]')!.click();
  await until('return', () => find('[data-entry]') === null);
  expect(find<HTMLInputElement>('[data-field="a"] input')?.value).toBe('19');
});

it('a server that lacks a value opens where it can be given, and connects with it', async () => {
  find('[data-server="weather"]')!.click();
  await until('button', () => find('[data-action="connect"]'));
  find('[data-action="connect"]')!.click();
  await seen('[data-secret="API_KEY"] input');
  for (const [name, value] of [
    ['API_KEY', 's3cret'],
    ['station', '01'],
  ] as const) {
    fill(`[data-secret="${name}"] input`, value);
    find(`[data-secret="${name}"] form`)!.dispatchEvent(
      new Event('submit', { bubbles: true, cancelable: true }),
    );
    await seen(`[data-secret="${name}"][data-known="true"]`);
  }
  const values = [...document.querySelectorAll('input')].map((input) => input.value);
  expect([...values, words('body')].join(), 'a value that was kept is not in the page').not.toContain(
    's3cret',
  );
  find('[data-action="connect-with-secrets"]')!.click();
  await seen('[data-server="weather"][data-state="ready"]');
});

it('a refusal for want of a value never throws anyone out of a form', async () => {
  find('[data-server="weather"]')!.click();
  (await seen('[data-action="connect"]')).click();
  await until('focus', () => document.activeElement?.matches('[data-secret="API_KEY"] input'));
  find('[data-action="add-server"]')!.click();
  (await seen('#form-name')).focus();
  fill('#form-name', 'half a na');
  const lists = requests('list_servers').length;
  await menuOf('github');
  find('[data-menu="disable"]')!.click();
  find('#form-name')?.focus();
  await until('the next list', () => requests('list_servers').length > lists);
  await until('its change', () => find('[data-server="github"]')?.closest('.off'));
  expect(find<HTMLInputElement>('#form-name')?.value, 'the form is still open').toBe('half a na');
  expect(document.activeElement?.id, 'and typed into').toBe('form-name');

  find('[data-server="weather"]')!.click();
  const second = await seen('[data-secret="station"] input');
  second.focus();
  await menuOf('github');
  find('[data-menu="enable"]')!.click();
  second.focus();
  await until('its change', () => find('[data-server="github"]')?.closest('.row:not(.off)'));
  expect(document.activeElement?.id, 'nor out of one value into another').toBe(second.id);
});

it('a change on disk is shown before and after, and connects again only when told to', async () => {
  find('[data-server="filesystem"]')!.click();
  find('[data-tab="overview"]')!.click();
  await seen('[data-differences]');
  expect(words('[data-differences]')).toContain('env.LOG_LEVELabsent+debug');
  expect(requests('disconnect_server')).toEqual([]);
  find('[data-action="reconnect"]')!.click();
  await until('connect', () => requests('connect_server').length > 0);
  expect(requests('disconnect_server')).toEqual([{ server: 'filesystem' }]);
});

it('the palette finds a tool of another server and goes there', async () => {
  press(document.body, 'k', { ctrlKey: true });
  await seen('[data-palette] input');
  fill('[data-palette] input', 'echo calendar');
  await until('hit', () => find('[data-found="tool:calendar:echo"][aria-selected="true"]'));
  press(find('[data-palette] input')!, 'Enter');
  await until('server', () => find('[data-server="calendar"][aria-current]'));
  await seen('[data-tool="echo"][aria-selected="true"]');
  expect(find('[data-palette]')).toBeNull();
});

it('a server whose entry is wrong is listed, and is mended instead of connected', async () => {
  const row = find('[data-server="sheets"]')!;
  expect(words('[data-server="sheets"]')).toContain('Variable not set');
  const notice = find('[data-config-problems]')!;
  expect(
    notice.compareDocumentPosition(find('[data-server]')!) & Node.DOCUMENT_POSITION_FOLLOWING,
    'what is wrong with the files stands above all servers',
  ).toBeTruthy();
  row.click();
  await seen('[data-server-flaw="error"]');
  expect(words('[data-server-flaw]')).toContain('SHEETS_URL');
  expect(find('[data-action="connect"]'), 'it can not be started').toBeNull();
  (await seen('[data-action="mend"]')).click();
  await seen('#form-name');
});

it('a file of another client is chosen as a whole, or not at all', async () => {
  find('[data-action="import"]')!.click();
  (await seen('[data-choose="all"]:not(:disabled)')).click();
  flushSync();
  const chosen = document.querySelectorAll('[data-entry]:not([data-deed="skip"])').length;
  expect(chosen).toBeGreaterThan(0);
  expect(words('[data-action="run-import"]')).toBe(`Import ${chosen}`);
  find('[data-choose="none"]:not(:disabled)')!.click();
  flushSync();
  expect(find<HTMLButtonElement>('[data-action="run-import"]')?.disabled).toBe(true);
});

it('a file dropped on the window shows what is in it', async () => {
  const text = '{"mcpServers":{"dropped":{"command":"npx","env":{"API_KEY":"x"}}}}';
  const event = new Event('drop', { bubbles: true, cancelable: true });
  Object.assign(event, {
    dataTransfer: { types: ['Files'], files: [new File([text], 'mcp.json', { type: 'application/json' })] },
  });
  document.body.dispatchEvent(event);
  expect(event.defaultPrevented, 'the window does not go there').toBe(true);
  await seen('[data-entry="dropped"][data-deed="add"]');
  expect(requests('read_offer')).toEqual([{ text, file_name: 'mcp.json' }]);
  expect(words('[data-entry="dropped"]')).toContain('1 secret');
});

it('a file that the host read is shown like one that the page was given', async () => {
  const drag = (detail: object): void => {
    window.dispatchEvent(new CustomEvent('sonde-drag', { detail }));
    flushSync();
  };
  drag({ phase: 'over' });
  // WebKitGTK tells the page of leaving at every element, and nothing of files.
  document.body.dispatchEvent(
    Object.assign(new Event('dragleave', { bubbles: true }), { relatedTarget: null }),
  );
  flushSync();
  expect(find('[data-drop]'), 'one sees where it may be let go').not.toBeNull();
  const text = '{"mcpServers":{"dropped":{"command":"npx"}}}';
  const files = [
    { name: 'photo.png', text: null, problem: 'it is not text in UTF-8' },
    { name: 'mcp.json', text, problem: null },
  ];
  drag({ phase: 'dropped', files, left_out: 3 });
  expect(find('[data-drop]')).toBeNull();
  await seen('[data-entry="dropped"][data-deed="add"]');
  expect(requests('read_offer')).toEqual([{ text, file_name: 'mcp.json' }]);
  await until('the reason', () => words('.room').includes('photo.png: it is not text'));
  await until('the rest', () => words('[data-notice="said"]').includes('3 were left out'));
});

it('an address that is dragged over the window is accepted, for the host to read it', () => {
  const event = new Event('dragover', { bubbles: true, cancelable: true });
  const dataTransfer = { types: ['text/uri-list', 'text/html'], files: [], dropEffect: 'none' };
  document.body.dispatchEvent(Object.assign(event, { dataTransfer }));
  expect(event.defaultPrevented).toBe(true);
  expect(dataTransfer.dropEffect, 'what is not welcome is never let go').toBe('copy');
});

it('a list that did not come is asked for again, and the server stays connected', async () => {
  find('[data-server="calendar"]')!.click();
  await until('tab', () => find('[data-server="calendar"][aria-current]'));
  find('[data-tab="overview"]')!.click();
  (await seen('[data-retry="prompts"]')).click();
  await until('request', () => requests('refresh_catalog').length === 1);
  expect(requests('refresh_catalog')).toEqual([{ server: 'calendar', catalog: 'prompts' }]);
  expect(find('[data-server="calendar"][data-state="ready"]')).not.toBeNull();
});
