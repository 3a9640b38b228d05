import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { mostSamples, Pings } from './pings.svelte';
import { later, server, Stub, type Answers } from './stub';

const demo = server({ id: 'demo' });

function world(ping: Answers['ping_server'] = () => ({ ms: 2 })) {
  const stub = new Stub({ ping_server: ping });
  const pings = new Pings(stub);
  return { stub, pings, asked: () => stub.requests('ping_server').length };
}

beforeEach(() => void vi.useFakeTimers({ now: 1000 }));
afterEach(() => void vi.useRealTimers());

describe('a ping', () => {
  it('is kept with its server, however it ended', async () => {
    let turn = 0;
    const { pings } = world(() => {
      if ((turn += 1) === 2) throw new Error('no answer within 2 s');
      return { ms: turn };
    });
    for (let each = 0; each < 3; each += 1) await pings.ping('demo');
    expect(pings.of('demo')).toEqual([
      { at: 1000, ms: 1, problem: null },
      { at: 1000, ms: null, problem: 'no answer within 2 s' },
      { at: 1000, ms: 3, problem: null },
    ]);
    expect(pings.of('other')).toEqual([]);
  });

  it('is not sent again while its server owes an answer', async () => {
    const answer = later<{ ms: number }>();
    const { pings, asked } = world(() => answer.promise);
    const first = pings.ping('demo');
    await pings.ping('demo');
    expect(asked()).toBe(1);
    expect(pings.waitingSince('demo')).toBe(1000);
    answer.resolve({ ms: 4 });
    await first;
    expect(pings.waitingSince('demo')).toBeNull();
    expect(pings.of('demo')).toHaveLength(1);
  });

  it('pushes out the oldest of very many', async () => {
    let turn = 0;
    const { pings } = world(() => ({ ms: (turn += 1) }));
    for (let each = 0; each < mostSamples + 5; each += 1) await pings.ping('demo');
    expect(pings.of('demo')).toHaveLength(mostSamples);
    expect(pings.of('demo')[0]?.ms).toBe(6);
  });
});

describe('pinging again and again', () => {
  it('is every two seconds until it is stopped', async () => {
    const { pings, asked } = world();
    pings.repeat('demo');
    await vi.advanceTimersByTimeAsync(0);
    expect(asked(), 'at once').toBe(1);
    await vi.advanceTimersByTimeAsync(1999);
    expect(asked()).toBe(1);
    await vi.advanceTimersByTimeAsync(4001);
    expect(asked()).toBe(4);
    pings.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked()).toBe(4);
  });

  it('never piles up on a server that is slow', async () => {
    let waiting = 0;
    let most = 0;
    const { pings, asked } = world(async () => {
      most = Math.max(most, (waiting += 1));
      await new Promise((resolve) => setTimeout(resolve, 5000));
      waiting -= 1;
      return { ms: 5000 };
    });
    pings.repeat('demo');
    await vi.advanceTimersByTimeAsync(20_500);
    expect(most).toBe(1);
    expect(asked()).toBe(5);
    pings.stop();
  });

  it('has one rhythm, however often it is begun', async () => {
    const { pings, asked } = world();
    pings.repeat('demo');
    pings.repeat('demo');
    await vi.advanceTimersByTimeAsync(0);
    const begun = asked();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked()).toBe(begun + 5);
    pings.stop();
  });

  it('stops when the server is not ready any more, or another is looked at', async () => {
    for (const elsewhere of [{ ...demo, state: 'failed' as const }, server({ id: 'other' }), null]) {
      const { pings, asked } = world();
      pings.repeat('demo');
      (await pings.prepare(demo))();
      expect(pings.repeating, 'nothing changed').toBe('demo');
      (await pings.prepare(elsewhere))();
      expect(pings.repeating).toBeNull();
      await vi.advanceTimersByTimeAsync(10_000);
      expect(asked()).toBe(1);
    }
  });

  it('that was begun since is not stopped by what was known before', async () => {
    const { pings } = world();
    pings.repeat('demo');
    const apply = await pings.prepare(server({ id: 'other' }));
    pings.repeat('other');
    apply();
    expect(pings.repeating).toBe('other');
    pings.stop();
  });
});
