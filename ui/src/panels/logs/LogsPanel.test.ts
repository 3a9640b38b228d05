import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Backend } from '../../backend/backend';
import type { Commands } from '../../backend/bindings';
import { fakeBackend } from '../../backend/fake';
import { Session } from '../../model/session.svelte';
import LogsPanel from './LogsPanel.svelte';

let asked: { command: keyof Commands; request: unknown }[] = [];
let session: Session;
let close = (): void => undefined;

beforeEach(async () => {
  asked = [];
  const fake = fakeBackend('?rows=200');
  const backend: Backend = {
    call(command, request) {
      asked.push({ command, request });
      return fake.call(command, request);
    },
  };
  session = new Session(backend);
  const stop = new AbortController();
  void session.run(stop.signal, () => new Promise((resolve) => setTimeout(resolve, 0)));
  const target = document.body.appendChild(document.createElement('div'));
  const panel = mount(LogsPanel, { target, props: { session } });
  close = () => {
    stop.abort();
    void unmount(panel);
    target.remove();
  };
  await seen('[role="row"][data-seq]');
});
afterEach(() => close());

const find = <E extends HTMLElement>(selector: string): E | null => document.querySelector<E>(selector);
const words = (selector: string): string => find(selector)?.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '';

function seen(selector: string): Promise<HTMLElement> {
  return vi.waitFor(
    () => {
      const element = find(selector);
      if (element === null) throw new Error(`no ${selector}`);
      return element;
    },
    { timeout: 30_000 },
  );
}

function press(target: EventTarget, key: string): void {
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  flushSync();
}

/** By the keyboard alone, upwards to the newest line of a level. */
async function goTo(level: string): Promise<void> {
  const grid = await seen('[role="grid"]');
  for (let step = 0; step < 60; step += 1) {
    press(grid, 'k');
    if (find('[aria-selected="true"]')?.dataset['level'] === level) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const seq = find('[aria-selected="true"]')?.dataset['seq'];
  await seen(`[data-line="${seq}"]`);
}

const lastView = (): unknown =>
  asked
    .filter((each) => each.command === 'query_log' && 'lines' in (each.request as { view: object }).view)
    .map((each) => (each.request as Commands['query_log'][0]).view.lines)
    .at(-1);

describe('the logs of a server', () => {
  it('are read by the keyboard: a line in full, what ran meanwhile, and back', async () => {
    await goTo('error');
    expect(words('[data-line] header')).toContain('✗ error invoices');
    expect(words('[role="tree"][aria-label="Data of the message"]')).toContain('"sending failed"');
    const related = await seen('[data-related]');
    expect(related.textContent).toMatch(/^tools\/call huge #\d+$/);
    related.click();
    await vi.waitFor(() => expect(session.log.sought).not.toBeNull(), { timeout: 30_000 });

    press(find('[role="grid"]')!, 'Escape');
    expect(find('[data-line]'), 'the line is closed').toBeNull();
    expect(document.activeElement?.getAttribute('role'), 'and the rows have the focus').toBe('grid');
  });

  it('show level, logger and text of what hides and of what is no level', async () => {
    await goTo('loud');
    expect(words('[aria-selected="true"]')).toContain('?loud');
    expect(words('[aria-selected="true"]')).toContain('evil\\u202erotces');
    expect(words('[data-line]')).toContain('<img src=x onerror=alert(1)>');
    expect(find('[data-pane="logs"] img')).toBeNull();
    expect(words('[data-finding="bad-level"]')).toContain('is no log level');
  });

  it('say how much is not shown of a message that is too long', async () => {
    await goTo('info');
    press(find('[role="grid"]')!, 'j');
    session.logs.type('0123456789abcdef');
    await session.logs.find();
    await vi.waitFor(() => expect(words('[role="row"][data-seq]')).toContain('dump'), { timeout: 30_000 });
    press(find('[role="grid"]')!, 'G');
    await seen('[data-truncated]');
    expect(words('[data-truncated]')).toBe('▲ first 262 kB of 52.4 MB; the log has the rest');
  });

  it('are searched, and what is found is marked', async () => {
    const field = find<HTMLInputElement>('[data-filter="logs"]')!;
    field.value = 'CONNECT';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    press(field, 'Enter');
    await vi.waitFor(() => expect(find('mark')?.textContent).toMatch(/^connect$/i), { timeout: 30_000 });
    expect(lastView()).toMatchObject({ text: 'CONNECT' });
    expect(document.activeElement?.getAttribute('role'), 'Enter goes to the lines').toBe('grid');
  });

  it('say so where the filter hides all, and Esc shows them again', async () => {
    const field = find<HTMLInputElement>('[data-filter="logs"]')!;
    field.value = 'nothing like it';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await seen('[data-empty="filter"]');
    expect(words('[data-empty]')).toContain('Esc clears the filter');
    press(field, 'Escape');
    await vi.waitFor(() => expect(session.logs.lines.total).toBeGreaterThan(0), { timeout: 30_000 });
    expect(field.value).toBe('');

    press(find('[data-segment="stderr"]')!, 'ArrowLeft');
    await vi.waitFor(() => expect(lastView()).toMatchObject({ stderr: true, messages: false }), {
      timeout: 30_000,
    });
    press(find('[role="grid"]')!, 'Escape');
    expect(session.logs.source, 'out of the filter of the source, too').toBe('both');
  });
});

describe('the level that the server sends', () => {
  it('is set from here', async () => {
    const select = find<HTMLSelectElement>('[data-server-level]')!;
    await vi.waitFor(() => expect(select.disabled).toBe(false), { timeout: 30_000 });
    select.value = 'warning';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    await vi.waitFor(
      () =>
        expect(asked).toContainEqual({
          command: 'set_log_level',
          request: { server: 'demo', level: 'warning' },
        }),
      { timeout: 30_000 },
    );
  });

  it('cannot be set where nobody would listen, and why is said', async () => {
    await session.select('weather');
    await vi.waitFor(() => expect(words('.sends')).toContain('not connected'), { timeout: 30_000 });
    expect(find<HTMLSelectElement>('[data-server-level]')?.disabled).toBe(true);
  });

  it('that is refused is said, and can be dismissed', async () => {
    await session.select('calendar');
    const select = find<HTMLSelectElement>('[data-server-level]')!;
    select.value = 'debug';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    const report = await seen('[data-error="server-error"]');
    expect(report.textContent).toContain('refused');
    report.querySelector<HTMLElement>('[aria-label="Dismiss"]')!.click();
    flushSync();
    expect(find('[data-error]')).toBeNull();
  });
});
