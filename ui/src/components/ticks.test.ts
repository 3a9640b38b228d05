import { expect, it } from 'vitest';
import { ticks } from './ticks';

it('what stands in backticks is a literal, and a lone backtick is itself', () => {
  expect(ticks('write `npx` in `command`')).toEqual(['write ', 'npx', ' in ', 'command', '']);
  expect(ticks('a ` b')).toEqual(['a ` b']);
  expect(ticks('``')).toEqual(['``']);
  expect(ticks('`x` '.repeat(100)), 'no sentence').toHaveLength(1);
});
