import { expect, it } from 'vitest';
import type { ApiError, Fact } from '../backend/bindings';
import { isSentence, sortFacts } from './error-facts';

const error = (...context: Fact[]): ApiError => ({
  code: 'configuration',
  title: '',
  message: '',
  hint: null,
  chain: [],
  context,
});

it('the facts of an error are sorted by what they are for, and none is lost', () => {
  const sorted = sortFacts(
    error(
      { name: 'command', value: 'npx' },
      { name: 'layer', value: 'project configuration' },
      { name: 'file', value: '~/.mcp.json' },
      { name: 'Likely cause', value: 'one\n- two' },
      { name: 'likely_cause', value: 'three' },
      { name: 'context', value: '3 |   }\n  |   ^\n' },
      { name: 'ended with', value: 'code 3' },
    ),
  );
  expect(sorted.head).toEqual([
    { name: 'file', value: '~/.mcp.json (project configuration)' },
    { name: 'command', value: 'npx' },
  ]);
  expect(sorted.causes).toEqual(['one', 'two', 'three']);
  expect(sorted.texts, 'the caret keeps its column').toEqual([{ name: 'context', text: '3 |   }\n  |   ^' }]);
  expect(sorted.rest).toEqual([{ name: 'ended with', value: 'code 3' }]);
});

it('a layer without a file is told by itself', () => {
  expect(sortFacts(error({ name: 'layer', value: 'built in' })).head).toEqual([
    { name: 'layer', value: 'built in' },
  ]);
});

it('only what we say ourselves has its back-ticks read', () => {
  expect(isSentence({ name: 'phase', value: 'waiting for the answer to `initialize`' })).toBe(true);
  expect(isSentence({ name: 'command', value: 'echo `date`' }), 'they belong to the command').toBe(false);
});
