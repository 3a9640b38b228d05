import { createRawSnippet, flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import VirtualRows from './VirtualRows.svelte';

const total = 1000;
let active = 0;
let page: HTMLElement;
let close = (): void => undefined;

/** A row that a click gives the focus to, as those of the lists are. */
const line = createRawSnippet<[number]>((index) => ({
  render: () => `<div role="option" aria-selected="false" tabindex="-1" data-row="${index()}"></div>`,
  setup: (row) => {
    $effect(() => row.setAttribute('data-row', String(index())));
  },
}));

beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(240);
  page = document.body.appendChild(document.createElement('div'));
  const rows: { show(index: number): void } = mount(VirtualRows, {
    target: page,
    props: {
      total,
      row: 24,
      line,
      role: 'listbox',
      tabindex: 0,
      onkeydown: (event: KeyboardEvent) => {
        if (event.key !== 'ArrowDown') return;
        active += 1;
        rows.show(active);
      },
    },
  });
  flushSync();
  close = () => void unmount(rows);
});

afterEach(() => {
  close();
  page.remove();
  vi.restoreAllMocks();
});

it('goes on by keys from a row that was clicked, however far that row is left behind', () => {
  const list = page.querySelector<HTMLElement>('[role=listbox]')!;
  page.querySelector<HTMLElement>('[data-row="3"]')!.focus();
  expect(document.activeElement, 'the row may go, the list stays').toBe(list);
  active = 3;
  for (let press = 0; press < 200; press += 1) {
    document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
    flushSync();
  }
  expect(active, 'no key is lost').toBe(203);
  expect(page.querySelector('[data-row="3"]'), 'the row is drawn no more').toBeNull();
  expect(page.querySelector('[data-row="203"]'), 'and where the keys went is').not.toBeNull();
});
