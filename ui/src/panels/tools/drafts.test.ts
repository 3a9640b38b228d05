import { describe, expect, it } from 'vitest';
import { Draft } from '../../forms/draft.svelte';
import { later } from '../../model/stub';
import { Drafts, type ToolDraft } from './drafts.svelte';

const schema = JSON.stringify({ type: 'object', properties: { a: { type: 'string' } } });
const begin = (text: string | null): Draft => new Draft(text);
const open = (): ToolDraft => new Drafts().of('demo', 0, 'add', schema, begin);

describe('the arguments of a tool', () => {
  it('begin as they were last sent', async () => {
    const entry = open();
    await entry.recall(() => Promise.resolve('{"a":"last"}'));
    expect(entry.draft.sendable).toBe('{"a":"last"}');
    expect(entry.source).toBe('last sent');
    expect(entry.touched).toBe(false);
    entry.startEmpty();
    expect(entry.draft.sendable).toBe('{}');
    expect(entry.source).toBe('empty');
  });

  it.each([
    ['a field', (draft: Draft) => draft.change(['a'], { kind: 'string', value: 'x', text: '"x"' })],
    ['JSON that is not complete', (draft: Draft) => draft.setText('{"a":')],
  ])('are not replaced under the hands of somebody who types %s', async (_, type) => {
    const entry = open();
    const answer = later<string | null>();
    const recalled = entry.recall(() => answer.promise);
    type(entry.draft);
    const typed = entry.draft.text;
    answer.resolve('{"a":"last"}');
    await recalled;
    expect(entry.draft.text).toBe(typed);
  });

  it('are recalled once in a run, not every time the tool is looked at', async () => {
    const entry = open();
    let asked = 0;
    const ask = (): Promise<null> => {
      asked += 1;
      return Promise.resolve(null);
    };
    await entry.recall(ask);
    await entry.recall(ask);
    expect(asked).toBe(1);
    expect(entry.draft.sendable).toBe('{}');
  });

  it('start anew with another schema, and keep how they are sent', () => {
    const drafts = new Drafts();
    const first = drafts.of('demo', 0, 'add', schema, begin);
    first.options.timeout = '5';
    expect(drafts.of('demo', 0, 'add', schema, begin)).toBe(first);
    const second = drafts.of('demo', 0, 'add', '{"type":"object"}', begin);
    expect(second).not.toBe(first);
    expect(second.options.timeout).toBe('5');
  });
});
