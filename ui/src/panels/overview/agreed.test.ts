import { describe, expect, it } from 'vitest';
import { reached, tokens, total } from './agreed';

it('how a revision was reached is said', () => {
  expect(reached('2025-11-25', '2025-11-25')).toBe('2025-11-25, as we asked');
  expect(reached('2025-11-25', '2025-06-18')).toBe(
    '2025-06-18: we asked for 2025-11-25 and the server answered with its own',
  );
  expect(reached(null, '2025-11-25')).toBe('2025-11-25, assumed: connected without negotiation');
});

describe('what definitions come to', () => {
  it('is four bytes a token, to two digits', () => {
    for (const [bytes, about] of [
      [0, 0],
      [1, 0],
      [30, 8],
      [396, 99],
      [400, 100],
      [1234, 310],
      [18_400, 4600],
      [3_999_999, 1_000_000],
    ] as const)
      expect(tokens(bytes), `${bytes} bytes`).toBe(about);
  });

  it('is added up before it is estimated', () => {
    const sizes = [
      { catalog: 'tools' as const, entries: 9, bytes: 18_400 },
      { catalog: 'prompts' as const, entries: 2, bytes: 700 },
    ];
    expect(total(sizes)).toEqual({ entries: 11, bytes: 19_100 });
    expect(total([])).toEqual({ entries: 0, bytes: 0 });
  });
});
