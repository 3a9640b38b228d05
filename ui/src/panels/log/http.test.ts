import { describe, expect, it } from 'vitest';
import type { HttpDetail } from '../../backend/bindings';
import { httpExchange } from '../../model/stub';
import { statusMeaning } from '../http-status';
import { connection, exchangeStatus, pathOf, phaseBars, reused, trafficLines } from './http';

const none = { dns: null, connect: null, tls: null, first_byte: null, body: null };
const places = (exchange: HttpDetail): unknown[] =>
  phaseBars(exchange).map(({ name, ms, start, width }) => [name, ms, Math.round(start), Math.round(width)]);

describe('the phases of an exchange', () => {
  it('follow each other and fill the whole', () => {
    const phases_ms = { dns: 1, connect: 2, tls: 3, first_byte: 10, body: 4 };
    expect(places(httpExchange({ phases_ms }))).toEqual([
      ['dns', 1, 0, 5],
      ['connect', 2, 5, 10],
      ['tls', 3, 15, 15],
      ['first_byte', 10, 30, 50],
      ['body', 4, 80, 20],
    ]);
  });

  it('leave out what did not happen, and say that a connection was used before', () => {
    const again = httpExchange({ phases_ms: { ...none, first_byte: 3, body: 1 } });
    expect(places(again)).toEqual([
      ['first_byte', 3, 0, 75],
      ['body', 1, 75, 25],
    ]);
    expect(reused(again)).toBe(true);
    expect(reused(httpExchange({ phases_ms: { ...none, connect: 1, first_byte: 3 } }))).toBe(false);
    expect(reused(httpExchange({ phases_ms: none })), 'where nothing is known, nothing is said').toBe(false);
  });

  it('leave a quarter to what goes on', () => {
    const stream = httpExchange({ after_ms: null, phases_ms: { ...none, connect: 1, first_byte: 2 } });
    expect(places(stream)).toEqual([
      ['connect', 1, 0, 25],
      ['first_byte', 2, 25, 50],
      ['body', null, 75, 25],
    ]);
    const waiting = httpExchange({ after_ms: null, status: null, phases_ms: { ...none, connect: 1 } });
    expect(places(waiting).at(-1), 'no answer yet: the first byte is waited for').toEqual([
      'first_byte',
      null,
      75,
      25,
    ]);
    const begun = httpExchange({ after_ms: null, status: null, phases_ms: none });
    expect(places(begun)).toEqual([['first_byte', null, 0, 100]]);
  });

  it('that took no time at all are still named', () => {
    expect(places(httpExchange({ phases_ms: { ...none, first_byte: 0, body: 0 } }))).toEqual([
      ['first_byte', 0, 0, 0],
      ['body', 0, 0, 0],
    ]);
  });
});

describe('how an exchange ended', () => {
  it('is told by shape and word', () => {
    const said = (part: Partial<HttpDetail>): string => {
      const { glyph, word, tone } = exchangeStatus(httpExchange(part));
      return `${glyph} ${word}, ${tone}`;
    };
    expect(said({ status: 200 })).toBe('✓ 200 OK, ok');
    expect(said({ status: 200, after_ms: null })).toBe('◐ 200 OK, warn');
    expect(said({ status: null, after_ms: null })).toBe('◐ waiting, warn');
    expect(said({ status: null, problem: 'refused' })).toBe('▲ no response, err');
    expect(said({ status: 307 })).toBe('○ 307 redirect, dim');
    expect(said({ status: 401, problem: 'no' })).toBe('▲ 401 unauthorized, err');
    expect(said({ status: 200, problem: 'broke' })).toBe('▲ 200 OK, err');
  });

  it('is explained where the word is not enough', () => {
    expect(statusMeaning('GET', 405)).toContain('no stream');
    expect(statusMeaning('POST', 404)).toContain('session');
    expect(statusMeaning('POST', 200)).toBeNull();
  });
});

describe('an exchange that follows another', () => {
  const first = httpExchange({ number: 4, status: 307 });
  const broken = httpExchange({ number: 5, follows: 4, problem: 'broke' });
  const resumed = httpExchange({
    number: 6,
    follows: 5,
    method: 'GET',
    request_headers: [{ name: 'Last-Event-ID', value: '1' }],
  });
  const all = [first, broken, resumed];

  it('says why', () => {
    expect(all.map((each) => connection(each, all))).toEqual([
      null,
      'after the redirect of exchange 4',
      'goes on where the stream of exchange 5 ended',
    ]);
    expect(connection(httpExchange({ number: 7, follows: 5 }), all)).toBe('tries exchange 5 again');
    expect(connection(httpExchange({ number: 8, follows: 2, method: 'GET' }), all)).toBe(
      'goes on after exchange 2',
    );
  });
});

describe('the request line', () => {
  it.each([
    ['https://example.com/mcp?a=1#part', '/mcp?a=1'],
    ['http://[::1]:80', '/'],
    ['https://example.com?a=1', '/?a=1'],
    ['no address', '/no address'],
  ])('of %s has %s', (url, path) => expect(pathOf(url)).toBe(path));
});

describe('the bytes', () => {
  it('are told by what became of them, and only where there are any', () => {
    const { traffic } = httpExchange();
    expect(trafficLines(traffic).map((line) => line.name)).toEqual(['sent', 'body']);
    const lines = trafficLines({
      ...traffic,
      body: 30,
      recorded: 20,
      dropped: 6,
      comments: 4,
      events: 1,
      comment_lines: 2,
      compressed: 12,
    });
    expect(lines.map(({ name, size, note }) => [name, size, note])).toEqual([
      ['sent', 0, ''],
      ['body', 30, '12 B on the wire, compressed'],
      ['recorded', 20, '1 event'],
      ['comments', 4, '2 lines'],
      ['dropped', 6, 'read and not kept: a limit was passed'],
    ]);
  });
});
