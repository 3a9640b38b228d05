import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import type { Call } from '../../backend/bindings';
import { Session } from '../../model/session.svelte';
import { call, Stub } from '../../model/stub';
import BinaryContent from './BinaryContent.svelte';

let close = (): void => undefined;
afterEach(() => {
  close();
  vi.restoreAllMocks();
});

it('stays open while its call is read again, and opens anew for another call or place', async () => {
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:test/1');
  const revoked = vi.spyOn(URL, 'revokeObjectURL').mockReturnValue();
  const stub = new Stub({
    read_content: () => ({
      size: 3,
      media: 'audio/wav',
      width: null,
      height: null,
      appearance: 'audio',
      problem: null,
    }),
    read_content_part: ({ offset }) => ({ offset, base64: btoa('abc'), size: 3 }),
  });
  let shown = $state.raw<Call>(call(7, 'running'));
  let block = $state.raw({ pointer: '/content/0/data' });
  const page = document.body.appendChild(document.createElement('div'));
  const mounted = mount(BinaryContent, {
    target: page,
    props: {
      session: new Session(stub),
      get call() {
        return shown.id;
      },
      get pointer() {
        return block.pointer;
      },
      claimed: 'audio/wav',
      uri: null,
      what: 'audio',
    },
  });
  close = () => {
    void unmount(mounted);
    page.remove();
  };
  const seen = (selector: string): Promise<HTMLElement> =>
    vi.waitFor(() => {
      flushSync();
      return page.querySelector<HTMLElement>(selector) ?? expect.fail(`no ${selector}`);
    });
  (await seen('[data-action="load"]')).click();
  const player = await seen('audio');

  shown = call(7, 'ok');
  block = { pointer: '/content/0/data' };
  flushSync();
  expect(stub.requests('read_content')).toHaveLength(1);
  expect(page.querySelector('audio'), 'what plays goes on').toBe(player);
  expect(revoked).not.toHaveBeenCalled();

  block = { pointer: '/content/1/data' };
  flushSync();
  await seen('[data-action="load"]');
  shown = call(8, 'ok');
  flushSync();
  expect(stub.requests('read_content')).toEqual([
    { call: 7, pointer: '/content/0/data' },
    { call: 7, pointer: '/content/1/data' },
    { call: 8, pointer: '/content/1/data' },
  ]);
});
