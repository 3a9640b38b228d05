import { describe, expect, it } from 'vitest';
import type { SavedCall, Variable, VariableList } from '../backend/bindings';
import { Saved } from './saved.svelte';
import { later, Stub, type Answers } from './stub';

const about = { server: 'demo', method: 'tools/call', target: 'add' };
const changes = {
  revision: 2,
  log_total: 0,
  log_bytes: 0,
  log_lost: 0,
  recording_problem: null,
  servers_revision: 1,
  questions_revision: 0,
  calls: [],
};

/** Keeps what it is given, as the core does. */
function world(answers: Answers = {}) {
  let calls: SavedCall[] = [
    { id: 1, ...about, name: 'small', arguments: '{"a":1}' },
    { id: 2, ...about, target: 'echo', name: 'small', arguments: '{}' },
    { id: 3, ...about, server: 'other', name: 'theirs', arguments: '{}' },
  ];
  let variables: Variable[] = [{ name: 'city', value: 'Oslo' }];
  const stub = new Stub({
    list_saved_calls: () => ({ calls }),
    save_call: (request) => {
      const saved = { id: 9, ...request };
      calls = [
        ...calls.filter((each) => each.name !== request.name || each.target !== request.target),
        saved,
      ];
      return saved;
    },
    remove_saved_call: ({ id }) => {
      calls = calls.filter((each) => each.id !== id);
      return {};
    },
    list_variables: () => ({ variables }),
    set_variable: ({ name, value }) => {
      variables = variables.filter((each) => each.name !== name);
      if (value !== null) variables = [...variables, { name, value }];
      return { variables };
    },
    ...answers,
  });
  return { stub, saved: new Saved(stub) };
}

describe('what a person keeps', () => {
  it('is read when somebody looks, and not again with every change', async () => {
    const { stub, saved } = world();
    (await saved.prepare(null, null))();
    (await saved.prepare(null, changes))();
    (await saved.prepare(null, changes))();
    expect(stub.requests('list_saved_calls')).toHaveLength(1);
    (await saved.prepare(null, null))();
    expect(stub.requests('list_saved_calls'), 'somebody looks anew').toHaveLength(2);
  });

  it('is told by server, method and target', async () => {
    const { saved } = world();
    (await saved.prepare(null, null))();
    expect(saved.of(about).map(({ name }) => name)).toEqual(['small']);
    expect(saved.of({ ...about, method: 'prompts/get' })).toEqual([]);
  });

  it('has a call that was just saved, in the place of one of the same name', async () => {
    const { saved } = world();
    (await saved.prepare(null, null))();
    expect(await saved.save(about, 'small', '{"a":2}')).toBe(true);
    expect(saved.of(about)).toMatchObject([{ id: 9, arguments: '{"a":2}' }]);
    expect(await saved.remove(9)).toBe(true);
    expect(saved.of(about)).toEqual([]);
  });

  it('has variables by their names', async () => {
    const { saved } = world();
    (await saved.prepare(null, null))();
    await saved.setVariable('port', '80');
    expect(saved.values.get('port')).toBe('80');
    await saved.setVariable('city', null);
    expect(saved.values.has('city')).toBe(false);
  });

  it('is not put back by an answer that was under way while it was changed', async () => {
    const slow = later<VariableList>();
    const { saved } = world({ list_variables: () => slow.promise });
    const prepared = saved.prepare(null, null);
    await saved.setVariable('port', '80');
    slow.resolve({ variables: [] });
    (await prepared)();
    expect(saved.values.get('port')).toBe('80');
  });

  it('that can not be kept says why', async () => {
    const { saved } = world({
      save_call: () => {
        throw new Error('the disk is full');
      },
    });
    expect(await saved.save(about, 'x', '{}')).toBe(false);
    expect(saved.refusal?.message).toBe('the disk is full');
  });

  it('begins empty where nothing is remembered or can be', async () => {
    expect(await world({ recall_arguments: () => ({ arguments: '{"a":1}' }) }).saved.recall(about)).toBe(
      '{"a":1}',
    );
    expect(await world().saved.recall(about), 'the core does not answer').toBeNull();
  });
});
