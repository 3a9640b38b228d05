import { flushSync, mount, unmount } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Call, ToolDetail } from '../../backend/bindings';
import { Session } from '../../model/session.svelte';
import { call, server, Stub } from '../../model/stub';
import ResultPanel from './ResultPanel.svelte';

let close = (): void => undefined;
let page: HTMLElement;
let session: Session;
afterEach(() => close());

function answered(id: number, result: unknown, part: Partial<Call> = {}): Call {
  const text = JSON.stringify(result);
  return { ...call(id, 'ok'), result: { text, shown: text.length, size: text.length }, ...part };
}

async function open(calls: Call[], outputSchema: string | null = null): Promise<void> {
  const summary = { index: 0, name: 'add', change: null, icon: null, problem: null };
  const stub = new Stub({
    list_tools: () => ({
      tools: [summary as never],
      gone: [],
      catalog_revision: 1,
      complete: true,
      problem: null,
    }),
    describe_tool: () => ({ summary, name: 'add', output_schema: outputSchema }) as ToolDetail,
    list_calls: () => ({ calls }),
  });
  session = new Session(stub);
  (await session.tools.prepare(server({ id: 'demo' })))();
  await session.calls.open('demo', 'add');
  page = document.body.appendChild(document.createElement('div'));
  const mounted = mount(ResultPanel, { target: page, props: { session } });
  flushSync();
  close = () => {
    close = () => undefined;
    void unmount(mounted);
    page.remove();
  };
}

const words = (selector: string): string =>
  page.querySelector(selector)?.textContent.replaceAll(/\s+/g, ' ').trim() ?? '';
const content = (text: string) => ({ content: [{ type: 'text', text }] });

describe('the result of a call', () => {
  it('that keeps what the tool promises says so', async () => {
    await open([answered(1, { structuredContent: { sum: 3 } })], '{"type":"object"}');
    expect(words('[data-verdict="fits"]')).toContain('✓ fits the output schema');
    expect(words('header .badge.ok:nth-of-type(2)')).toContain('schema');
  });

  it('that does not lists where and how, and shows it all the same', async () => {
    const violations = [{ path: '', place: '/sum', message: '`sum` is required' }];
    await open([answered(1, { structuredContent: { total: 3 } }, { violations })], '{"type":"object"}');
    expect(words('[data-verdict="violated"]')).toContain('in 1 place');
    expect(words('[data-verdict="violated"] li')).toBe('/sum sum is required');
    expect(words('[data-verdict="violated"] [role="tree"]')).toContain('total');
  });

  it('that could not be checked says why', async () => {
    await open([answered(1, { structuredContent: {} }, { note: 'the schema is too complex' })], '{}');
    expect(words('[data-verdict="unchecked"]')).toContain(
      'not checked against the output schema: the schema',
    );
  });

  it('of a tool that promises nothing is not judged', async () => {
    await open([answered(1, { structuredContent: { sum: 3 } })]);
    expect(words('[data-verdict="none"]')).not.toContain('schema');
  });

  it('is compared with any other one of the tool', async () => {
    await open([1, 2, 3].map((id) => answered(id, content(`text ${id}`))));
    const select = page.querySelector<HTMLSelectElement>('[data-action="compare"]')!;
    expect([...select.options].map((option) => option.value)).toEqual(['', '2', '1']);
    select.value = '1';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    await vi.waitFor(
      () => {
        flushSync();
        expect(words('[data-line="removed"]')).toContain('text 1');
        expect(words('[data-line="added"]')).toContain('text 3');
      },
      { timeout: 10_000 },
    );
    page.querySelector<HTMLElement>('[data-action="close-compare"]')!.click();
    flushSync();
    expect(words('pre')).toBe('text 3');
  });

  it('with very many blocks shows a hundred and counts the rest', async () => {
    const many = Array.from({ length: 130 }, (_, place) => ({ type: 'text', text: `block ${place}` }));
    await open([answered(1, { content: many })]);
    expect(page.querySelectorAll('[data-content="text"]')).toHaveLength(100);
    expect(words('.body')).toContain('30 more blocks in the JSON below');
  });

  it('of a task names it', async () => {
    const task = { id: 't-1', status: 'working' } as Call['task'];
    await open([{ ...call(1, 'running'), task }]);
    expect(words('[data-result-task]')).toBe('task t-1 working');
  });
});
