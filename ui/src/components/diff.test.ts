import { diffLines } from 'diff';
import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import Diff from './Diff.svelte';
import { changedLines, comparable, diffRows, ended, longest, type DiffLine } from './diff';

const none = new Set<number>();
const rows = (before: string, after: string, opened = none): string[] =>
  diffRows(diffLines(ended(before), ended(after)), opened).map(words);
const words = (row: DiffLine): string =>
  row.kind === 'fold' ? `(${row.count})` : { same: ' ', added: '+', removed: '-' }[row.kind] + row.text;
const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, place) => String(from + place));

describe('a comparison of two texts', () => {
  it('has a line for every line, with what became of it', () => {
    expect(rows('a\nb\nc', 'a\nB\nc\nd')).toEqual([' a', '-b', '+B', ' c', '+d']);
  });

  it('does not take a missing line end for a difference', () => {
    expect(rows('a\nb\n', 'a\nb')).toEqual([' a', ' b']);
  });

  it('folds long runs of what is the same, but not what is beside a change', () => {
    const before = numbered(1, 30).join('\n');
    const after = before.replace('15', 'changed');
    expect(rows(before, after)).toEqual(['(12)', ' 13', ' 14', '-15', '+changed', ' 16', ' 17', '(13)']);
  });

  it('leaves six unchanged lines as they are, and folds seven', () => {
    const around = (lines: string[]): string => ['x', ...lines, 'y'].join('\n');
    const other = (lines: string[]): string => ['X', ...lines, 'Y'].join('\n');
    const shown = (many: number): string[] =>
      rows(around(numbered(1, many)), other(numbered(1, many))).filter((row) => !/^[+-]/.test(row));
    expect(shown(6)).toEqual(numbered(1, 6).map((line) => ` ${line}`));
    expect(shown(7)).toEqual([' 1', ' 2', '(3)', ' 6', ' 7']);
  });

  it('unfolds the run that somebody asked for, and no other', () => {
    const before = numbered(1, 30).join('\n');
    const after = before.replace('15', 'changed');
    const opened = rows(before, after, new Set([0]));
    expect(opened.slice(0, 14)).toEqual(numbered(1, 14).map((line) => ` ${line}`));
    expect(opened.at(-1)).toBe('(13)');
  });

  it('counts what was added and removed', () => {
    expect(changedLines(diffLines('a\nb\n', 'a\nc\nd\n'))).toEqual({ added: 2, removed: 1 });
    expect(changedLines(diffLines('a\n', 'a\n'))).toEqual({ added: 0, removed: 0 });
  });

  it('of very long texts is one of their first parts, cut after a line', () => {
    const text = 'x'.repeat(99) + '\n';
    const long = text.repeat(longest / 100 + 100);
    const { text: kept, left } = comparable(long);
    expect(kept.endsWith('\n')).toBe(true);
    expect(kept.length).toBeLessThanOrEqual(longest);
    expect(kept.length + left).toBe(long.length);
    expect(comparable('y'.repeat(longest + 5))).toEqual({ text: 'y'.repeat(longest), left: 5 });
    expect(comparable('short')).toEqual({ text: 'short', left: 0 });
  });
});

describe('two texts beside each other', () => {
  let close = (): void => undefined;
  // A machine that is busy would let the comparison run out of its time.
  beforeEach(() => vi.spyOn(Date, 'now').mockReturnValue(0));
  afterEach(() => {
    close();
    vi.restoreAllMocks();
  });

  async function open(before: string, after: string): Promise<HTMLElement> {
    const target = document.body.appendChild(document.createElement('div'));
    const mounted = mount(Diff, { target, props: { before, after, label: 'Two texts' } });
    close = () => {
      void unmount(mounted);
      target.remove();
    };
    await vi.waitFor(
      () => {
        flushSync();
        expect(target.querySelector('[aria-busy="true"]')).toBeNull();
      },
      { timeout: 20_000 },
    );
    return target;
  }
  const lines = (page: HTMLElement): string[] =>
    [...page.querySelectorAll('[data-line]')].map((each) => each.textContent.replaceAll(/\s+/g, ' ').trim());

  it('have signs for what went and came, which are read out too', async () => {
    const page = await open('a\nb', 'a\nc');
    expect(lines(page)).toEqual(['a', '−removed: b', '+added: c']);
    expect(page.textContent).toContain('+1');
  });

  it('that are the same say so', async () => {
    expect((await open('a\n', 'a')).querySelector('[data-same]')).not.toBeNull();
  });

  it('have what is folded one press away', async () => {
    const before = numbered(1, 40).join('\n');
    const page = await open(before, `${before}\nend`);
    const fold = page.querySelector<HTMLElement>('[data-fold]')!;
    expect(fold.textContent).toBe('38 unchanged lines');
    fold.click();
    flushSync();
    expect(lines(page)).toHaveLength(41);
  });

  it('show what hides in a line, and nothing of it is drawn', async () => {
    const page = await open('', '<img src=x>\u202e');
    expect(page.querySelector('img')).toBeNull();
    expect(page.querySelector('.token')?.textContent).toBe('\\u202e');
  });

  it('that have too little in common stand side by side, and it is said', async () => {
    const one = Array.from({ length: 6000 }, (_, line) => `one ${line}`).join('\n');
    const page = await open(one, one.replaceAll('one', 'two'));
    expect(page.querySelector('[data-given-up]')).not.toBeNull();
    expect(page.querySelectorAll('pre')).toHaveLength(2);
  });

  it('are never all of ten thousand lines at once', async () => {
    const page = await open('', numbered(1, 1900).join('\n') + '\nx');
    expect(lines(page)).toHaveLength(500);
    expect(page.querySelector('[data-left]')?.textContent).toContain('1,401 more lines');
    for (let press = 0; press < 3; press += 1) {
      page.querySelector<HTMLElement>('[data-action="more"]')!.click();
      flushSync();
    }
    expect(lines(page)).toHaveLength(1901);
  });

  it('that are too long are cut, and it is said', async () => {
    const long = 'x'.repeat(99) + '\n';
    const page = await open(long.repeat(longest / 100 + 10), long);
    expect(page.querySelector('[data-cut]')?.textContent).toContain('256 KiB');
  });
});
