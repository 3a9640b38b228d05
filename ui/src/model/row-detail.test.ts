import { describe, expect, it } from 'vitest';
import type { FrameDetail } from '../backend/bindings';
import { OpenRow } from './row-detail.svelte';
import { frame, httpExchange, row, Stub } from './stub';

/** A row with one frame, of which two bytes come at a time. */
async function opened(part: Partial<FrameDetail>) {
  const stub = new Stub({
    read_row: () => ({ row: row(1), frames: [frame(part)], http: [] }),
    read_frame: ({ offset }) => ({ offset, base64: btoa('xy'), size: 2 }),
  });
  const open = new OpenRow(stub);
  await open.open(1);
  return { stub, open, frame: open.detail!.frames[0]! };
}

describe('a frame that is not shown in full', () => {
  it('has more until all of it is here', async () => {
    const { stub, open, frame } = await opened({ shown: 2, kept: 6, size: 6 });
    await open.readMore(frame);
    expect(open.hasMore(frame)).toBe(true);
    await open.readMore(frame);
    expect(open.hasMore(frame)).toBe(false);
    expect(stub.requests('read_frame').map((request) => request.offset)).toEqual([2, 4]);
  });

  it('that was cut on arrival ends where what was kept ends', async () => {
    const { stub, open, frame } = await opened({ shown: 2, kept: 4, size: 1_000_000 });
    await open.readMore(frame);
    expect(open.hasMore(frame), 'the rest was never kept').toBe(false);
    await open.readMore(frame);
    expect(stub.requests('read_frame'), 'nothing is asked for beyond the end').toHaveLength(1);
    expect(open.shown(frame)).toBe(4);
  });
});

describe('a row whose stream is still open', () => {
  it('is read again until the stream ends, and its frames are not drawn again', async () => {
    let after: number | null = null;
    const stub = new Stub({
      read_row: () => ({ row: row(1), frames: [frame()], http: [httpExchange({ after_ms: after })] }),
    });
    const open = new OpenRow(stub);
    await open.open(1);
    const first = open.detail!.frames[0];
    after = 5;
    (await open.prepare(row(1)))();
    expect(open.detail!.http[0]!.after_ms).toBe(5);
    expect(open.detail!.frames[0], 'what was recorded does not change').toBe(first);
    (await open.prepare(row(1)))();
    expect(stub.requests('read_row'), 'what has ended is not read again').toHaveLength(2);
  });

  it('shows a frame that came since', async () => {
    let frames = [frame()];
    const open = new OpenRow(
      new Stub({ read_row: () => ({ row: row(1, { status: 'pending' }), frames, http: [] }) }),
    );
    await open.open(1);
    frames = [frame(), frame({ index: 1, text: '[]' })];
    (await open.prepare(null))();
    expect(open.detail!.frames.map((each) => each.text)).toEqual(['{}', '[]']);
  });
});
