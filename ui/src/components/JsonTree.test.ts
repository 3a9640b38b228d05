import { flushSync, mount, unmount } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import JsonTree from './JsonTree.svelte';

let close = (): void => undefined;
let page: HTMLElement;
afterEach(() => close());

function open(text: string, part = false): string {
  page = document.body.appendChild(document.createElement('div'));
  const mounted = mount(JsonTree, { target: page, props: { text, label: 'A value', part } });
  flushSync();
  close = () => {
    void unmount(mounted);
    page.remove();
  };
  return page.querySelector('.problem')?.textContent.replaceAll(/\s+/g, ' ').trim() ?? '';
}

describe('a tree of what is no whole JSON', () => {
  it('says where it stops being JSON', () => {
    expect(open('{"a": nope')).toMatch(/^▲ Not complete JSON: line 1, column 7/);
  });

  it('says that it is a beginning where the core cut it, and of how much', () => {
    expect(open('{"a":"ä","b":"cut he… (1004 more bytes are in the log)')).toBe(
      'only the beginning is shown, 1,025 bytes in all; the log has the rest',
    );
    expect(page.textContent, 'what is not of the server is not in the tree').not.toContain('… (1004');
  });

  it('says that it is a beginning where its owner knows', () => {
    expect(open('{"a":"cut he', true)).toBe('only the beginning is shown');
    close();
    expect(open('{"a":1}', true), 'which it may not be').toBe('');
  });
});
