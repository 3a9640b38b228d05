import { describe, expect, it } from 'vitest';
import type { Repeat } from '../backend/bindings';
import { failedOf, paceOf, Repeats } from './repeats.svelte';
import { later, Stub } from './stub';

const run = (part: Partial<Repeat> = {}): Repeat => ({
  id: 1,
  server: 'demo',
  tool: 'add',
  times: 100,
  at_once: 4,
  running: true,
  done: 0,
  tool_errors: 0,
  protocol_errors: 0,
  unanswered: 0,
  elapsed_ms: 0,
  shortest_ms: null,
  p50_ms: null,
  p95_ms: null,
  p99_ms: null,
  longest_ms: null,
  first_error: null,
  ...part,
});
const request = { server: 'demo', tool: 'add', arguments: '{}', times: 100, at_once: 4 };

describe('a call that is repeated', () => {
  it('is read after every change while it runs, and no longer', async () => {
    let done = 0;
    const stub = new Stub({
      repeat_tool: () => run(),
      read_repeat: () => run({ done: (done += 50), running: done < 100 }),
    });
    const repeats = new Repeats(stub);
    (await repeats.prepare(null, null))();
    expect(stub.asked, 'nothing runs').toEqual([]);
    await repeats.start(request);
    for (let time = 0; time < 4; time += 1) (await repeats.prepare(null, null))();
    expect(stub.requests('read_repeat')).toHaveLength(2);
    expect(repeats.of('demo', 'add')).toMatchObject({ done: 100, running: false });
    expect(repeats.of('demo', 'echo'), 'it is the run of another tool').toBeNull();
  });

  it('does not run again, nor backwards, because an older answer arrives later', async () => {
    const reads = [later<Repeat>(), later<Repeat>()];
    let at = 0;
    const stub = new Stub({ repeat_tool: () => run(), read_repeat: () => reads[at++]!.promise });
    const repeats = new Repeats(stub);
    await repeats.start(request);
    const older = repeats.prepare(null, null);
    const newer = repeats.prepare(null, null);
    reads[1]!.resolve(run({ done: 100, running: false }));
    (await newer)();
    reads[0]!.resolve(run({ done: 7 }));
    (await older)();
    expect(repeats.of('demo', 'add')).toMatchObject({ done: 100, running: false });
  });

  it('that the core knows no more has ended, and says why', async () => {
    const stub = new Stub({
      repeat_tool: () => run({ done: 3 }),
      read_repeat: () => {
        throw new Error('no such run');
      },
    });
    const repeats = new Repeats(stub);
    await repeats.start(request);
    (await repeats.prepare(null, null))();
    expect(repeats.of('demo', 'add')).toMatchObject({ running: false, done: 3 });
    expect(repeats.of('demo', 'add')?.first_error?.message).toBe('no such run');
  });

  it('is stopped, and put away once it has ended', async () => {
    let running = true;
    const stub = new Stub({
      repeat_tool: () => run(),
      cancel_repeat: () => {
        running = false;
        return {};
      },
      read_repeat: () => run({ running }),
    });
    const repeats = new Repeats(stub);
    await repeats.start(request);
    repeats.dismiss(1);
    expect(repeats.of('demo', 'add'), 'it still runs').not.toBeNull();
    await repeats.stop(1);
    (await repeats.prepare(null, null))();
    repeats.dismiss(1);
    expect(repeats.of('demo', 'add')).toBeNull();
  });

  it('that is refused says why', async () => {
    const repeats = new Repeats(
      new Stub({
        repeat_tool: () => {
          throw new Error('another run goes on');
        },
      }),
    );
    await repeats.start(request);
    expect(repeats.refusal?.message).toBe('another run goes on');
  });

  it('tells how many failed and how many there are in a second', () => {
    expect(failedOf(run({ tool_errors: 1, protocol_errors: 2, unanswered: 3 }))).toBe(6);
    expect(paceOf(run({ done: 50, elapsed_ms: 250 }))).toBe(200);
    expect(paceOf(run())).toBeNull();
  });
});
