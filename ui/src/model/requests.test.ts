import { describe, expect, it } from 'vitest';
import type { ApiError, Call } from '../backend/bindings';
import { Requests } from './requests.svelte';
import { call, later, Stub } from './stub';

const objected: ApiError = {
  code: 'objected',
  title: 'Not sent',
  message: 'the server did not declare `logging`',
  hint: null,
  chain: [],
  context: [],
};

function ping(id: number, status: Call['status']): Call {
  return { ...call(id, status), method: 'ping', tool: '' };
}

describe('a request that was written by hand', () => {
  it('goes out as written, and empty texts are no params', async () => {
    const stub = new Stub({ send_request: () => ping(1, 'running') });
    const requests = new Requests(stub);
    requests.open('demo');
    const draft = requests.draft('demo');
    draft.method = ' tools/list ';
    draft.meta = '{"trace":1}';
    await requests.send('demo', draft, 'keep');
    expect(stub.requests('send_request')).toMatchObject([
      { method: 'tools/list', params: null, meta: '{"trace":1}', anyway: false },
    ]);
    expect(requests.shown?.id).toBe(1);
  });

  it('is held back with the reason, and sent when the person insists', async () => {
    const stub = new Stub({
      send_request: ({ anyway }) => {
        if (!anyway) throw objected;
        return ping(2, 'running');
      },
    });
    const requests = new Requests(stub);
    requests.open('demo');
    const draft = requests.draft('demo');
    await requests.send('demo', draft, 'keep');
    expect(requests.refusal?.code).toBe('objected');
    await requests.send('demo', draft, 'anyway');
    expect(requests.refusal).toBeNull();
    expect(requests.shown?.id).toBe(2);
  });

  it('shows its end even when that overtook its start', async () => {
    const sent = later<Call>();
    const stub = new Stub({ send_request: () => sent.promise, read_call: () => ping(3, 'ok') });
    const requests = new Requests(stub);
    requests.open('demo');
    const sending = requests.send('demo', requests.draft('demo'), 'keep');
    (await requests.prepare([3]))();
    sent.resolve(ping(3, 'running'));
    await sending;
    expect(requests.shown?.status).toBe('ok');
  });
});

describe('bytes that were written by hand', () => {
  it('are sent verbatim, with a line feed only where one is wanted', async () => {
    const stub = new Stub({ send_bytes: () => ({ calls: [], connection: 1, after: 0 }) });
    const requests = new Requests(stub);
    requests.open('demo');
    const draft = requests.draft('demo');
    draft.bytes = 'ü{';
    await requests.sendBytes('demo', draft);
    draft.lineFeed = 'left out';
    await requests.sendBytes('demo', draft);
    expect(stub.requests('send_bytes')).toMatchObject([{ text: 'ü{\n' }, { text: 'ü{' }]);
    expect(requests.raw, 'bytes are counted, not characters').toEqual({ bytes: 3, requests: 0 });
  });

  it('leave what another server was sent out of sight', async () => {
    const stub = new Stub({ send_bytes: () => ({ calls: [ping(5, 'ok')], connection: 1, after: 0 }) });
    const requests = new Requests(stub);
    requests.open('demo');
    await requests.sendBytes('demo', requests.draft('demo'));
    requests.open('other');
    expect(requests.list).toEqual([]);
    expect(requests.raw).toBeNull();
  });
});
