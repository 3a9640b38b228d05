import { describe, expect, it } from 'vitest';
import { Session } from '../../model/session.svelte';
import { Stub, server } from '../../model/stub';
import { localEntries } from './go';

describe('a saved call', () => {
  it('is found by its name and leads to its tool, with its arguments for the form', async () => {
    const call = {
      id: 7,
      server: 'demo',
      method: 'tools/call',
      target: 'add',
      name: 'two and three',
      arguments: '{"a":2,"b":3}',
    };
    const stub = new Stub({
      list_saved_calls: () => ({ calls: [call, { ...call, id: 8, method: 'prompts/get' }] }),
      list_variables: () => ({ variables: [] }),
      list_tools: () => ({ tools: [], gone: [], catalog_revision: 1, complete: true, problem: null }),
    });
    const session = new Session(stub);
    (await session.saved.prepare(server({ id: 'demo' }), null))();
    const entries = localEntries(session, () => undefined).filter((entry) => entry.kind === 'saved');
    expect(entries.map(({ id, name, about }) => [id, name, about])).toEqual([
      ['saved:7', 'two and three', 'add · demo'],
    ]);
    entries[0]?.run?.();
    expect(session.saved.wanted, 'the form of the tool takes it').toEqual(call);
  });
});
