import { describe, expect, it } from 'vitest';
import type { Call } from '../backend/bindings';
import { Calls } from './calls.svelte';
import { call, later, Stub } from './stub';

describe('a call that ends while a request for calls is on its way', () => {
  it('is reread when the list of calls still has it running', async () => {
    const list = later<{ calls: Call[] }>();
    const stub = new Stub({ list_calls: () => list.promise, read_call: () => call(3, 'ok') });
    const calls = new Calls(stub);
    const opened = calls.open('demo', 'add');
    (await calls.prepare([3]))();
    list.resolve({ calls: [call(3, 'running')] });
    await opened;
    expect(calls.list.map((each) => each.status)).toEqual(['ok']);
    expect(stub.requests('read_call'), 'once is enough').toEqual([{ call: 3 }]);
  });

  it('is reread when the answer to its own start still has it running', async () => {
    const started = later<Call>();
    const stub = new Stub({
      list_calls: () => ({ calls: [] }),
      call_tool: () => started.promise,
      read_call: () => call(4, 'tool-error'),
    });
    const calls = new Calls(stub);
    await calls.open('demo', 'add');
    const answered = calls.call('demo', 'add', '{}');
    (await calls.prepare([4]))();
    started.resolve(call(4, 'running'));
    await answered;
    expect(calls.running).toEqual([]);
    expect(calls.shown?.status).toBe('tool-error');
  });

  it('is remembered until the last of several requests has answered', async () => {
    const started = [later<Call>(), later<Call>()];
    let at = 0;
    const stub = new Stub({
      list_calls: () => ({ calls: [] }),
      call_tool: () => started[at++]!.promise,
      read_call: ({ call: id }) => call(id, 'ok'),
    });
    const calls = new Calls(stub);
    await calls.open('demo', 'add');
    const answered = [calls.call('demo', 'add', '{}'), calls.call('demo', 'add', '{}')];
    (await calls.prepare([2]))();
    started[0]!.resolve(call(1, 'running'));
    await answered[0];
    started[1]!.resolve(call(2, 'running'));
    await answered[1];
    expect(
      calls.list.map((each) => [each.id, each.status]),
      'nothing was said of the first one',
    ).toEqual([
      [2, 'ok'],
      [1, 'running'],
    ]);
  });

  it('is not asked for when it belongs to another tool', async () => {
    const list = later<{ calls: Call[] }>();
    const stub = new Stub({ list_calls: () => list.promise });
    const calls = new Calls(stub);
    const opened = calls.open('demo', 'add');
    (await calls.prepare([77]))();
    list.resolve({ calls: [call(3, 'running')] });
    await opened;
    expect(stub.requests('read_call')).toEqual([]);
  });
});

describe('a call that ended', () => {
  it('does not run again because an older answer arrives later', async () => {
    const reads = [later<Call>(), later<Call>()];
    let at = 0;
    const stub = new Stub({
      list_calls: () => ({ calls: [call(3, 'running')] }),
      read_call: () => reads[at++]!.promise,
    });
    const calls = new Calls(stub);
    await calls.open('demo', 'add');
    const older = calls.prepare([3]);
    const newer = calls.prepare([3]);
    reads[1]!.resolve(call(3, 'cancelled'));
    (await newer)();
    reads[0]!.resolve(call(3, 'running'));
    (await older)();
    expect(calls.shown?.status).toBe('cancelled');
  });
});
