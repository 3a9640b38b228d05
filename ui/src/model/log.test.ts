import { describe, expect, it } from 'vitest';
import type { LogPage, LogRequest } from '../backend/bindings';
import { Log } from './log.svelte';
import { row, Stub } from './stub';

/** A core whose log has as many rows as `size` says at that moment. */
function core(size: { rows: number }) {
  const page = ({ first, count }: LogRequest): LogPage => {
    const start = Math.min(first, size.rows);
    const length = Math.min(count, size.rows - start);
    return {
      total: size.rows,
      first: start,
      rows: Array.from({ length }, (_, place) => row(start + place + 1)),
    };
  };
  return new Stub({ query_log: page });
}

async function change(log: Log, total: number): Promise<void> {
  (await log.prepare(total))();
}

describe('a log that follows', () => {
  it('holds the newest rows, and only those around the view', async () => {
    const size = { rows: 1_000_000 };
    const stub = core(size);
    const log = new Log(stub);
    await change(log, size.rows);
    expect(log.total).toBe(1_000_000);
    expect(log.row(999_999)?.seq).toBe(1_000_000);
    expect(log.row(0), 'the oldest row is far from the view').toBeNull();
    expect(log.held).toBeLessThanOrEqual(500);
    expect(stub.requests('query_log').every((request) => request.count <= 500)).toBe(true);
  });

  it('goes with the newest row', async () => {
    const size = { rows: 100 };
    const log = new Log(core(size));
    await change(log, 100);
    size.rows = 5000;
    await change(log, 5000);
    expect(log.row(4999)?.seq).toBe(5000);
    expect(log.unseen).toBe(0);
  });

  it('shows rows to its very end even when more come than were announced', async () => {
    const size = { rows: 100 };
    const log = new Log(core(size));
    size.rows = 20_000;
    await change(log, 100);
    expect(log.row(log.total - 1), 'no blank row at the end').not.toBeNull();
    expect(log.total).toBe(20_000);
  });
});

describe('a log that is scrolled up', () => {
  it('counts what is new and keeps the rows in view', async () => {
    const size = { rows: 1000 };
    const log = new Log(core(size));
    await change(log, 1000);
    log.setFollow(false);
    await log.show(200, 30);
    size.rows = 1007;
    await change(log, 1007);
    expect(log.unseen).toBe(7);
    expect(log.row(200)?.seq).toBe(201);
    expect(log.row(229)?.seq).toBe(230);
  });

  it('asks only for rows it does not hold', async () => {
    const stub = core({ rows: 10_000 });
    const log = new Log(stub);
    await change(log, 10_000);
    log.setFollow(false);
    await log.show(5000, 30);
    const asked = stub.requests('query_log').length;
    await log.show(5010, 30);
    await log.show(4990, 30);
    expect(stub.requests('query_log').length, 'the margin has them').toBe(asked);
    await log.show(7000, 30);
    expect(stub.requests('query_log').length).toBe(asked + 1);
    expect(log.row(7000)?.seq).toBe(7001);
  });

  it('comes back to the newest row', async () => {
    const size = { rows: 1000 };
    const log = new Log(core(size));
    await change(log, 1000);
    log.setFollow(false);
    await log.show(0, 30);
    size.rows = 2000;
    await change(log, 2000);
    log.setFollow(true);
    await log.show(1970, 30);
    expect(log.unseen).toBe(0);
    expect(log.row(1999)?.seq).toBe(2000);
  });
});

describe('another view of the log', () => {
  it('starts at its own newest rows, with no cursor', async () => {
    const stub = core({ rows: 3000 });
    const log = new Log(stub);
    await change(log, 3000);
    log.cursor = 7;
    await log.look({ server: 'demo', kind: null });
    expect(stub.requests('query_log').at(-1)?.view).toEqual({ server: 'demo', kind: null });
    expect(log.cursor).toBeNull();
    expect(log.row(2999)?.seq).toBe(3000);
  });

  it('is not overtaken by an answer to the view before', async () => {
    const waiting: ((page: LogPage) => void)[] = [];
    const log = new Log(
      new Stub({ query_log: () => new Promise<LogPage>((resolve) => waiting.push(resolve)) }),
    );
    const old = log.prepare(1);
    const look = log.look({ server: 'demo', kind: null });
    waiting[1]?.({ total: 1, first: 0, rows: [row(2, { target: 'new view' })] });
    await look;
    waiting[0]?.({ total: 1, first: 0, rows: [row(1, { target: 'old view' })] });
    (await old)();
    expect(log.row(0)?.target).toBe('new view');
  });
});
