import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiError, Completions } from '../../backend/bindings';
import { later } from '../../model/stub';
import CompletedInput from './CompletedInput.svelte';

let close = (): void => undefined;
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  close();
  vi.useRealTimers();
});

const cities: Completions = { values: ['Oslo', 'Bergen', 'Bodø'], total: 3, has_more: false };

function refusal(code: ApiError['code']): ApiError {
  return { code, title: 'Not sent', message: 'it broke', hint: null, chain: [], context: [] };
}

function field(complete: (value: string) => Promise<Completions>, onenter?: () => void) {
  const changes: string[] = [];
  const target = document.body.appendChild(document.createElement('div'));
  const props = {
    id: 'city',
    label: 'city',
    value: '',
    complete,
    onchange: (value: string) => changes.push(value),
    ...(onenter === undefined ? {} : { onenter }),
  };
  const view = mount(CompletedInput, { target, props });
  flushSync();
  close = () => {
    void unmount(view);
    target.remove();
  };
  const input = target.querySelector('input')!;
  return {
    input,
    changes,
    target,
    type(text: string) {
      input.value = text;
      input.dispatchEvent(new Event('input', { bubbles: true }));
    },
    press(key: string, init: KeyboardEventInit = {}): KeyboardEvent {
      const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });
      input.dispatchEvent(event);
      flushSync();
      return event;
    },
    async wait(ms: number) {
      await vi.advanceTimersByTimeAsync(ms);
      flushSync();
    },
    options: () => [...document.querySelectorAll('[role="option"]')].map((each) => each.textContent?.trim()),
  };
}

describe('a field with suggestions', () => {
  it('asks once nobody has typed for a moment, with the last text alone', async () => {
    const complete = vi.fn(async () => cities);
    const { type, wait, options, changes } = field(complete);
    type('B');
    await wait(100);
    type('Be');
    await wait(149);
    expect(complete).not.toHaveBeenCalled();
    await wait(1);
    expect(complete.mock.calls).toEqual([['Be']]);
    expect(options()).toEqual(['Oslo', 'Bergen', 'Bodø']);
    expect(changes).toEqual(['B', 'Be']);
  });

  it('is a combobox that names its list and the marked value', async () => {
    const { input, type, wait, press } = field(async () => cities);
    expect(input.getAttribute('role')).toBe('combobox');
    expect(input.getAttribute('aria-expanded')).toBe('false');
    expect(input.hasAttribute('aria-controls'), 'there is nothing to control yet').toBe(false);
    type('o');
    await wait(150);
    expect(input.getAttribute('aria-expanded')).toBe('true');
    const list = document.getElementById(input.getAttribute('aria-controls')!);
    expect(list?.getAttribute('role')).toBe('listbox');
    press('ArrowDown');
    press('ArrowDown');
    const active = document.getElementById(input.getAttribute('aria-activedescendant')!);
    expect(active?.textContent?.trim()).toBe('Bergen');
    expect(active?.getAttribute('aria-selected')).toBe('true');
  });

  it('drops an answer to what was typed before', async () => {
    const slow = later<Completions>();
    const answers = [slow.promise, Promise.resolve({ ...cities, values: ['new'] })];
    const { type, wait, options } = field(() => answers.shift()!);
    type('a');
    await wait(150);
    type('ab');
    await wait(150);
    slow.resolve({ ...cities, values: ['old'] });
    await wait(0);
    expect(options()).toEqual(['new']);
  });

  it('takes the marked value by Enter, and calls out by Enter where none is marked', async () => {
    const entered = vi.fn();
    const { type, wait, press, changes, options } = field(async () => cities, entered);
    type('o');
    await wait(150);
    press('ArrowUp');
    expect(press('Enter').defaultPrevented).toBe(true);
    expect(changes, 'up from the text is the last one').toEqual(['o', 'Bodø']);
    expect(options()).toEqual([]);
    expect(entered).not.toHaveBeenCalled();
    press('Enter');
    press('Enter', { repeat: true });
    expect(entered, 'a key that is held calls once').toHaveBeenCalledTimes(1);
  });

  it('leaves Ctrl+Enter to the window', async () => {
    const entered = vi.fn();
    const { type, wait, press } = field(async () => cities, entered);
    type('o');
    await wait(150);
    press('ArrowDown');
    expect(press('Enter', { ctrlKey: true }).defaultPrevented).toBe(false);
    expect(entered).not.toHaveBeenCalled();
  });

  it('closes by Esc and stays closed for an answer that was on its way; Alt+Down opens it', async () => {
    const slow = later<Completions>();
    const complete = vi.fn(() => slow.promise);
    const { type, wait, press, options } = field(complete);
    complete.mockImplementationOnce(async () => cities);
    type('o');
    await wait(150);
    expect(press('Escape').defaultPrevented, 'it closed the list and nothing else').toBe(true);
    expect(options()).toEqual([]);
    expect(press('Escape').defaultPrevented, 'nothing to close: others may').toBe(false);
    press('ArrowDown', { altKey: true });
    press('ArrowUp', { altKey: true });
    slow.resolve(cities);
    await wait(0);
    expect(options()).toEqual([]);
    press('ArrowDown', { altKey: true });
    await wait(0);
    expect(options()).toHaveLength(3);
    expect(complete).toHaveBeenCalledTimes(3);
  });

  it('asks on focus, and closes when it is left', async () => {
    const complete = vi.fn(async () => cities);
    const { input, wait, options, press } = field(complete);
    input.focus();
    await wait(150);
    expect(complete).toHaveBeenCalledTimes(1);
    expect(options()).toHaveLength(3);
    expect(press('Tab').defaultPrevented, 'Tab leaves').toBe(false);
    input.blur();
    flushSync();
    expect(options()).toEqual([]);
  });

  it('does not ask when it is only passed by', async () => {
    const complete = vi.fn(async () => cities);
    const { input, wait } = field(complete);
    input.focus();
    await wait(60);
    input.blur();
    await wait(500);
    expect(complete).not.toHaveBeenCalled();
  });

  it('keeps the focus when a value is clicked', async () => {
    const { input, type, wait, changes } = field(async () => cities);
    input.focus();
    type('o');
    await wait(150);
    const option = document.querySelectorAll<HTMLElement>('[role="option"]')[1]!;
    const pressed = new MouseEvent('pointerdown', { bubbles: true, cancelable: true });
    option.dispatchEvent(pressed);
    expect(pressed.defaultPrevented, 'a press does not move the focus').toBe(true);
    option.click();
    flushSync();
    expect(changes.at(-1)).toBe('Bergen');
    expect(document.activeElement).toBe(input);
  });

  it('shows a hundred values, says how many there are, and makes what hides visible', async () => {
    const values = Array.from({ length: 250 }, (_, place) => `value ${place}\u202e`);
    const { type, wait, options, target } = field(async () => ({ values, total: 2431, has_more: true }));
    type('v');
    await wait(150);
    expect(options()).toHaveLength(100);
    expect(options()[7]).toBe('value 7\\u202e');
    expect(target.textContent).toContain('100 of 2,431');
  });

  it('says that there are more where nobody knows how many', async () => {
    const { type, wait, target } = field(async () => ({ values: ['a'], total: null, has_more: true }));
    type('v');
    await wait(150);
    expect(target.textContent).toContain('1 and more');
  });
});

describe('a server that fails to suggest', () => {
  it('is told of quietly, and described to whoever listens', async () => {
    const { type, wait, input, target } = field(() => Promise.reject(refusal('server-error')));
    type('o');
    await wait(150);
    const note = target.querySelector('[data-completion-problem]');
    expect(note?.textContent).toContain('it broke');
    expect(note?.getAttribute('role'), 'no alarm').toBeNull();
    expect(input.getAttribute('aria-describedby')).toBe(note?.id);
    expect(input.getAttribute('aria-expanded')).toBe('false');
  });

  it('owes nothing where it never offered suggestions', async () => {
    const { type, wait, target } = field(() => Promise.reject(refusal('objected')));
    type('o');
    await wait(150);
    expect(target.querySelector('[data-completion-problem]')).toBeNull();
    expect(target.querySelector('[role="listbox"]')).toBeNull();
  });

  it('is forgiven by the next answer', async () => {
    const complete = vi.fn(() => Promise.reject<Completions>(refusal('timeout')));
    const { type, wait, target, options } = field(complete);
    type('o');
    await wait(150);
    complete.mockImplementation(async () => cities);
    type('os');
    await wait(150);
    expect(target.querySelector('[data-completion-problem]')).toBeNull();
    expect(options()).toHaveLength(3);
  });
});
