import type { HttpDetail, HttpPhases, HttpTraffic } from '../../backend/bindings';
import { bytes, count } from '../../components/format';
import { statusWord } from '../http-status';
import type { Status } from '../status';

/** How far an exchange got, as a shape, a word and a colour. */
export function exchangeStatus(exchange: HttpDetail): Status {
  const { status, problem, after_ms } = exchange;
  if (status === null) {
    if (problem !== null) return { glyph: '▲', word: 'no response', tone: 'err' };
    return after_ms === null
      ? { glyph: '◐', word: 'waiting', tone: 'warn' }
      : { glyph: '∅', word: 'no response', tone: 'dim' };
  }
  const word = `${status} ${statusWord(status)}`;
  if (problem !== null) return { glyph: '▲', word, tone: 'err' };
  if (status >= 200 && status < 300)
    return after_ms === null ? { glyph: '◐', word, tone: 'warn' } : { glyph: '✓', word, tone: 'ok' };
  return { glyph: '○', word, tone: 'dim' };
}

/** What an exchange has to do with the one it follows. */
export function connection(exchange: HttpDetail, all: HttpDetail[]): string | null {
  if (exchange.follows === null) return null;
  const before = all.find((each) => each.number === exchange.follows);
  const number = `exchange ${exchange.follows}`;
  const status = before?.status ?? null;
  if (status !== null && status >= 300 && status < 400) return `after the redirect of ${number}`;
  if (exchange.request_headers.some((header) => header.name.toLowerCase() === 'last-event-id'))
    return `goes on where the stream of ${number} ended`;
  return exchange.method === 'GET' ? `goes on after ${number}` : `tries ${number} again`;
}

/** Path and query of an address, as on the request line. */
export function pathOf(url: string): string {
  const path = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*([^#]*)/i.exec(url)?.[1] ?? url;
  return path.startsWith('/') ? path : `/${path}`;
}

export type PhaseBar = {
  name: keyof HttpPhases;
  label: string;
  /** Null while it goes on. */
  ms: number | null;
  /** Where it begins and how long it is, in hundredths of the whole. */
  start: number;
  width: number;
};

/** The phases one after the other. A phase that goes on takes a quarter, since nobody knows how long it will be. */
export function phaseBars(exchange: HttpDetail): PhaseBar[] {
  const open = exchange.after_ms === null;
  const known = phases.flatMap(([name, label]) => {
    const ms = exchange.phases_ms[name];
    return ms === null ? [] : [{ name, label, ms }];
  });
  const total = known.reduce((sum, phase) => sum + phase.ms, 0);
  const room = open ? 75 : 100;
  let start = 0;
  const bars: PhaseBar[] = known.map((phase) => {
    const width = total === 0 ? 0 : (phase.ms / total) * room;
    const bar = { ...phase, start, width };
    start += width;
    return bar;
  });
  if (open) {
    const name = exchange.status === null ? 'first_byte' : 'body';
    const label = phases.find(([each]) => each === name)?.[1] ?? '';
    const rest = { name, label, ms: null, start, width: 100 - start } as const;
    return [...bars.filter((bar) => bar.name !== name), rest];
  }
  return bars;
}

/** Whether an exchange used a connection that was there before: nothing was looked up, and nobody shook hands. */
export function reused({ phases_ms: { dns, connect, tls, first_byte } }: HttpDetail): boolean {
  return first_byte !== null && dns === null && connect === null && tls === null;
}

export type TrafficLine = {
  name: string;
  label: string;
  size: number;
  note: string;
  part: boolean;
  bad: boolean;
};

/** What became of the bytes: ours, the server's, and the server's by what they were. */
export function trafficLines(traffic: HttpTraffic): TrafficLine[] {
  const line = (name: string, label: string, size: number, note = ''): TrafficLine => ({
    name,
    label,
    size,
    note,
    part: !['sent', 'body'].includes(name),
    bad: name === 'dropped',
  });
  const parts = [
    line('recorded', 'recorded', traffic.recorded, many(traffic.events, 'event')),
    line('framing', 'framing', traffic.framing, 'names of fields, ids, ends of lines'),
    line('comments', 'comments', traffic.comments, many(traffic.comment_lines, 'line')),
    line('dropped', 'dropped', traffic.dropped, 'read and not kept: a limit was passed'),
  ];
  return [
    line('sent', 'Sent', traffic.sent),
    line(
      'body',
      'Body',
      traffic.body,
      traffic.compressed > 0 ? `${bytes(traffic.compressed)} on the wire, compressed` : '',
    ),
    ...parts.filter((part) => part.size > 0),
  ];
}

function many(number: number, what: string): string {
  if (number === 0) return '';
  return `${count(number)} ${number === 1 ? what : `${what}s`}`;
}

const phases: [keyof HttpPhases, string][] = [
  ['dns', 'DNS'],
  ['connect', 'Connect'],
  ['tls', 'TLS'],
  ['first_byte', 'First byte'],
  ['body', 'Body'],
];
