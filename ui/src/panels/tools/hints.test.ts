import { describe, expect, it } from 'vitest';
import type { ToolSummary } from '../../backend/bindings';
import { allBadges, listBadges, newsWords } from './hints';

const tool = (part: Partial<ToolSummary>, hints: Partial<ToolSummary['hints']> = {}): ToolSummary => ({
  index: 0,
  name: 'a',
  title: null,
  description: null,
  task: null,
  icon: null,
  change: null,
  pinned: false,
  problem: null,
  ...part,
  hints: { read_only: null, destructive: null, idempotent: null, open_world: null, ...hints },
});
const words = (badges: { word: string }[]): string[] => badges.map(({ word }) => word);

describe('the badges of a tool', () => {
  it('put what may do harm first, and what we know before what is claimed', () => {
    const given = tool(
      { problem: 'no schema', change: 'changed', task: 'optional' },
      { read_only: true, destructive: true, idempotent: true, open_world: true },
    );
    const all = ['invalid', 'changed', 'destructive', 'task', 'read only', 'idempotent', 'open world'];
    expect(words(listBadges(given))).toEqual(all);
    expect(words(allBadges(given))).toEqual(all);
    expect(listBadges(given)[2]?.title).toContain("server's own claim");
    expect(listBadges(given)[1]?.title, 'that is not a claim').not.toContain('claim');
  });

  it('tell what is denied only where there is room', () => {
    const given = tool(
      { task: 'forbidden' },
      { read_only: false, destructive: false, idempotent: false, open_world: false },
    );
    expect(words(listBadges(given))).toEqual([]);
    expect(words(allBadges(given))).toEqual([
      'not destructive',
      'not read only',
      'not idempotent',
      'closed world',
    ]);
  });

  it('warn of a name that may be taken for another', () => {
    const given = tool({ name: 'p\u0430y', change: 'new' }, { destructive: true });
    expect(words(listBadges(given))).toEqual(['new', 'mixed scripts', 'destructive']);
    expect(allBadges(given)[1]).toMatchObject({ tone: 'warn', title: expect.stringContaining('Cyrillic') });
  });

  it('say nothing that nobody said', () => {
    expect(allBadges(tool({}))).toEqual([]);
  });
});

describe('what became of the tools', () => {
  it.each([
    [{ changed: 2, fresh: 1, gone: 3 }, '2 tools changed, 1 is new, 3 are gone'],
    [{ changed: 1, fresh: 0, gone: 1 }, '1 tool changed, 1 is gone'],
    [{ changed: 0, fresh: 4, gone: 0 }, '4 tools are new'],
    [{ changed: 0, fresh: 0, gone: 1200 }, '1,200 tools are gone'],
    [{ changed: 0, fresh: 0, gone: 0 }, ''],
  ])('%j is told as %j', (news, told) => expect(newsWords(news)).toBe(told));
});
