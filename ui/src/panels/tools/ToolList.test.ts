import { flushSync, mount, unmount } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { GoneTool, ToolDetail, ToolSummary } from '../../backend/bindings';
import { Session } from '../../model/session.svelte';
import { server, Stub } from '../../model/stub';
import ToolList from './ToolList.svelte';

let close = (): void => undefined;
let page: HTMLElement;
let session: Session;
let stub: Stub;
afterEach(() => {
  close();
  vi.restoreAllMocks();
});

const tool = (index: number, part: Partial<ToolSummary>): ToolSummary => ({
  index,
  name: `tool_${index}`,
  title: null,
  description: null,
  hints: { read_only: null, destructive: null, idempotent: null, open_world: null },
  task: null,
  icon: null,
  change: null,
  pinned: false,
  problem: null,
  ...part,
});

async function open(tools: ToolSummary[], gone: GoneTool[] = []): Promise<void> {
  stub = new Stub({
    list_tools: () => ({
      tools,
      gone,
      catalog_revision: 1,
      complete: true,
      problem: null,
    }),
    describe_tool: ({ index }) => ({ summary: tools[index], name: tools[index]?.name }) as ToolDetail,
    describe_change: () => ({
      before: null,
      after: null,
      before_sha256: null,
      after_sha256: null,
      seen: null,
    }),
    list_calls: () => ({ calls: [] }),
    accept_changes: () => ({}),
    pin_tool: () => ({}),
  });
  session = new Session(stub);
  (await session.tools.prepare(server({ id: 'demo' })))();
  page = document.body.appendChild(document.createElement('div'));
  const mounted = mount(ToolList, { target: page, props: { session } });
  flushSync();
  close = () => {
    close = () => undefined;
    void unmount(mounted);
    page.remove();
  };
}

const names = (): (string | undefined)[] =>
  [...page.querySelectorAll<HTMLElement>('[data-tool]')].map((each) => each.dataset['tool']);
const click = (selector: string): void => {
  page.querySelector<HTMLElement>(selector)!.click();
  flushSync();
};

describe('the list of tools', () => {
  it('tells what became of them, and shows only that if asked', async () => {
    await open(
      [tool(0, {}), tool(1, { change: 'changed' }), tool(2, { change: 'new' })],
      [{ name: 'old\u200b', pinned: false }],
    );
    expect(page.querySelector('[data-news]')?.textContent).toContain('1 tool changed, 1 is new, 1 is gone');
    expect(page.querySelector('[data-news] li')?.textContent.trim(), 'by a name that hides nothing').toBe(
      'old\\u200b',
    );
    click('[data-action="only-changed"]');
    expect(names()).toEqual(['tool_1', 'tool_2']);
    click('[data-action="only-changed"]');
    expect(names()).toHaveLength(3);
  });

  it('forgets what became of them once it was seen', async () => {
    await open([tool(0, { change: 'changed' })], [{ name: 'old', pinned: false }]);
    click('[data-action="accept-all"]');
    await vi.waitFor(() => {
      flushSync();
      expect(page.querySelector('[data-news]')).toBeNull();
    });
    expect(stub.requests('accept_changes')).toEqual([{ server: 'demo', tool: null, catalog_revision: 1 }]);
  });

  it('lets a pin go whose tool is gone', async () => {
    const gone = [
      { name: 'held\u200b', pinned: true },
      { name: 'other', pinned: false },
    ];
    await open([tool(0, {})], gone);
    expect(page.querySelector('[data-news] summary')?.textContent).toBe('Gone, 1 pinned');
    const unpin = page.querySelectorAll<HTMLElement>('[data-action="unpin-gone"]');
    expect([...unpin].map((each) => each.getAttribute('aria-label'))).toEqual(['Unpin held\\u200b']);
    click('[data-action="unpin-gone"]');
    await vi.waitFor(() => {
      flushSync();
      expect(page.querySelector('[data-action="unpin-gone"]')).toBeNull();
    });
    expect(stub.requests('pin_tool')).toMatchObject([{ tool: 'held\u200b', pinned: false }]);
    expect(page.querySelectorAll('[data-news] li'), 'it is still gone').toHaveLength(2);
  });

  it('says nothing where nothing changed', async () => {
    await open([tool(0, {})]);
    expect(page.querySelector('[data-news]')).toBeNull();
  });

  it('has badges and a pin, each with who says so', async () => {
    await open([
      tool(0, { pinned: true, task: 'required', hints: { ...tool(0, {}).hints, destructive: true } }),
    ]);
    const row = page.querySelector('[data-tool]')!;
    expect([...row.querySelectorAll('.badge')].map((each) => each.textContent)).toEqual([
      'destructive',
      'task',
    ]);
    expect(row.querySelector<HTMLElement>('.badge')?.title).toBe("The server's own claim");
    expect(row.querySelector('[role="img"]')?.getAttribute('aria-label')).toContain('Pinned');
  });

  it('draws a picture only from within the entry, and leaves room for it beside the others', async () => {
    vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:test/1');
    await open([
      tool(0, { icon: { media: 'image/png', base64: 'YWJj' } }),
      tool(1, {}),
      tool(2, { icon: { media: 'image/svg+xml', base64: 'YWJj' } }),
      tool(3, { icon: { media: 'image/png', base64: '%%%' } }),
    ]);
    const rows = [...page.querySelectorAll('[data-tool]')];
    expect(rows.map((row) => row.querySelector('img')?.getAttribute('src'))).toEqual([
      'blob:test/1',
      undefined,
      undefined,
      undefined,
    ]);
    expect(rows.every((row) => row.querySelector('.icon') !== null)).toBe(true);
  });
});
