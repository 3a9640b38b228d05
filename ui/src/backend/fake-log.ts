import type { Finding, FrameDetail, LineView, LogPage, LogRow, LogView, RowDetail } from './bindings';
import { httpRows, travelled } from './fake-http';

/** A log of any length: the rows of the past are computed from their place, those of now are added behind them. */
export class FakeLog {
  readonly added: LogRow[] = [];
  readonly frames = new Map<number, string[]>();

  constructor(private readonly past: number) {}

  get total(): number {
    return this.past + this.added.length;
  }

  add(
    row: Omit<LogRow, 'seq' | 'time' | 'connection' | 'size' | 'findings'> & { findings?: Finding[] },
    frames: string[],
  ): LogRow {
    const seq = this.total + 1;
    const size = frames.reduce((sum, frame) => sum + frame.length, 0);
    const full: LogRow = { findings: [], ...row, seq, time: timeAt(Date.now()), connection: 1, size };
    this.added.push(full);
    this.frames.set(seq, frames);
    return full;
  }

  update(seq: number, change: Partial<LogRow>, frame?: string): void {
    const at = seq - this.past - 1;
    const row = this.added[at];
    if (row === undefined) return;
    const frames = this.frames.get(seq) ?? [];
    if (frame !== undefined) frames.push(frame);
    this.added[at] = { ...row, ...change, size: frames.reduce((sum, each) => sum + each.length, 0) };
  }

  page(view: LogView, first: number, count: number): LogPage {
    const matches = (row: LogRow): boolean =>
      (view.server === null || row.server === view.server) &&
      (view.kind === null || row.kind === view.kind) &&
      (view.lines === undefined || isLine(row, view.lines));
    const slots = pattern.flatMap((_, slot) => (matches(pastRow(slot)) ? [slot] : []));
    const rounds = Math.floor(this.past / pattern.length);
    const pastMatches =
      rounds * slots.length + slots.filter((slot) => rounds * pattern.length + slot < this.past).length;
    const later = this.added.filter(matches);
    const total = pastMatches + later.length;
    const start = Math.max(0, Math.min(first, total));
    const rows: LogRow[] = [];
    for (let place = start; place < Math.min(start + count, total); place += 1) {
      const slot = slots[place % slots.length] ?? 0;
      const row =
        place < pastMatches
          ? pastRow(Math.floor(place / slots.length) * pattern.length + slot)
          : later[place - pastMatches];
      if (row !== undefined) rows.push(row);
    }
    return { total, first: start, rows };
  }

  row(seq: number): LogRow | undefined {
    return seq <= this.past ? pastRow(seq - 1) : this.added[seq - this.past - 1];
  }

  /** The exchanges of the same server that may have been open when the row came. */
  related(seq: number): LogRow[] {
    const row = this.row(seq);
    if (row === undefined) return [];
    const first = Math.max(1, seq - 40);
    return Array.from({ length: seq - first }, (_, place) => this.row(first + place)).filter(
      (each): each is LogRow =>
        each?.kind === 'exchange' &&
        each.server === row.server &&
        (each.status === 'pending' || (each.dur_ms ?? 0) >= 1000),
    );
  }

  detail(seq: number): RowDetail | null {
    const row = this.row(seq);
    if (row === undefined) return null;
    const texts = this.frames.get(seq) ?? pastFrames(row);
    const start = Date.parse(`${row.time.slice(0, 23)}Z`);
    const frames = texts.map((text, index): FrameDetail => {
      const broken = row.target?.startsWith('\ufffd') === true;
      const huge = (row.target === 'huge' && index === 1) || row.target?.startsWith('info dump: ') === true;
      const cut = row.findings.some((finding) => finding.code === 'oversized');
      return {
        index,
        dir: index === 0 ? row.dir : row.dir === 'out' ? 'in' : 'out',
        time: index === 0 ? row.time : timeAt(start + (row.dur_ms ?? 0)),
        size: cut ? 90_177_536 : huge ? 52_428_800 : text.length,
        kept: cut ? keptOfCut : huge ? 52_428_800 : text.length,
        text: broken ? null : text,
        base64: broken ? btoa('\u00ff\u00fe\u0000 not UTF-8 at all \u0080\u0081') : null,
        shown: text.length,
        http: null,
        event: null,
        digest: cut ? '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' : null,
      };
    });
    return { row, ...travelled(row, frames) };
  }
}

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** What a server says of its work, in the words of the core: `level logger: data`, each cut. */
function isLine(row: LogRow, { messages, stderr, level, text }: LineView): boolean {
  const message = row.method === 'notifications/message';
  if (!(message && messages) && !(row.kind === 'stderr' && stderr)) return false;
  const said = row.target ?? '';
  if (message && level !== null && levels.indexOf(said.split(/[ :]/)[0] ?? '') < levels.indexOf(level))
    return false;
  return text === null || said.toLowerCase().includes(text.toLowerCase());
}

/** Bytes that are kept of the line that is too long. */
const keptOfCut = 600_000;

const origin = Date.UTC(2026, 2, 31, 6, 0, 0);

function timeAt(ms: number): string {
  const whole = Math.floor(ms);
  const below = String(Math.floor((ms - whole) * 1e6)).padStart(6, '0');
  return `${new Date(whole).toISOString().slice(0, -1)}${below}Z`;
}

type Message = { level: unknown; logger?: string; data: unknown };

/** Log messages of every level and of every shape. */
const messages: Message[] = [
  { level: 'debug', logger: 'router', data: 'asking 3 sources for a route from Oslo to Bergen' },
  { level: 'info', logger: 'router', data: 'route found in 12 ms' },
  { level: 'info', data: 'listening; 24 tools' },
  { level: 'notice', logger: 'cache', data: { event: 'evicted', entries: 412, kept: ['Oslo', 'Bergen'] } },
  { level: 'warning', logger: 'db.pool', data: 'only 1 of 8 connections is free' },
  {
    level: 'error',
    logger: 'invoices',
    data: {
      message: 'sending failed',
      reason: 'connect ECONNREFUSED 10.0.0.7:25',
      attempt: 3,
    },
  },
  { level: 'critical', logger: 'db.pool', data: 'no connection is free: requests wait' },
  { level: 'alert', logger: 'disk', data: 'less than 1 % of /var is free' },
  { level: 'emergency', logger: 'supervisor', data: 'giving up' },
  { level: 'info', logger: 'multi line', data: 'first line\nsecond line\n\tthird line' },
  {
    level: 'info',
    logger: 'com.example.harbour.navigation.tides.forecast.worker-17',
    data: `a long line: ${'every word of it counts, and it goes on. '.repeat(30)}`,
  },
  { level: 'info', logger: 'dump', data: '0123456789abcdef' },
  {
    level: 'loud',
    logger: 'evil\u202erotces',
    data: '<img src=x onerror=alert(1)> \u001b[31mred\u001b[0m \u200b\u202egnp.exe',
  },
];

function messageRow({ level, logger, data }: Message): Partial<LogRow> {
  const cut = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
  const part = (value: unknown): string => cut(typeof value === 'string' ? value : JSON.stringify(value));
  const unknown = typeof level !== 'string' || !levels.includes(level);
  const wrong: Finding = {
    code: 'bad-level',
    severity: 'warning',
    message: `\`${part(level)}\` is no log level`,
    rule: 'logging: one of eight levels',
  };
  return {
    kind: 'notification',
    dir: 'in',
    method: 'notifications/message',
    target: `${part(level)}${logger === undefined ? '' : ` ${cut(logger)}`}: ${part(data)}`,
    findings: unknown ? [wrong] : [],
  };
}

const lineRows: Partial<LogRow>[] = [
  ...messages.map(messageRow),
  ...[
    'INFO  worker started with 4 threads',
    'Traceback (most recent call last):\r',
    '  File "/home/ada/shop/serve.py", line 41, in read',
    "\u001b[31mKeyError\u001b[0m: 'orders'",
    '',
    `a very long line of a library that does not break its lines: ${'lorem ipsum dolor sit amet '.repeat(40)}`,
  ].map((target): Partial<LogRow> => ({ kind: 'stderr', dir: 'in', target })),
  { ...messageRow({ level: 'info', logger: 'files', data: 'watching 3 folders' }), server: 'filesystem' },
];

const pattern: Partial<LogRow>[] = [
  { kind: 'mark', target: 'connected · initialize · 2025-11-25', server: 'demo' },
  { kind: 'exchange', method: 'tools/list', target: '24 tools', status: 'ok', dur_ms: 0.9 },
  {
    kind: 'unparsable',
    dir: 'in',
    target: 'Listening on stdio…',
    findings: [
      {
        code: 'not-json',
        severity: 'error',
        message: 'not JSON: a value is expected at column 1',
        rule: 'stdio: nothing but messages on stdout',
      },
    ],
  },
  {
    kind: 'exchange',
    method: 'tools/call',
    target: 'plan_trip',
    status: 'ok',
    dur_ms: 12.4,
    findings: [
      {
        code: 'progress-decreased',
        severity: 'warning',
        message: 'progress went from 40 to 35',
        rule: 'progress must increase',
      },
    ],
  },
  { kind: 'notification', dir: 'in', method: 'notifications/progress', target: '60 %' },
  {
    kind: 'stderr',
    dir: 'in',
    target: 'warn: cache miss for \u001b[33mroute/Oslo\u001b[0m',
    server: 'filesystem',
  },
  { kind: 'exchange', method: 'tools/call', target: 'fail', status: 'tool-error', dur_ms: 1.1 },
  {
    kind: 'exchange',
    method: 'resources/read',
    target: 'file:///home/ada/shop/data/orders.csv',
    status: 'ok',
    dur_ms: 231,
    server: 'filesystem',
  },
  { kind: 'exchange', method: 'tools/call', target: 'huge', status: 'ok', dur_ms: 2140 },
  {
    kind: 'exchange',
    method: 'completion/complete',
    target: 'city',
    status: 'protocol-error',
    code: -32601,
    dur_ms: 0.4,
    server: 'filesystem',
  },
  { kind: 'exchange', dir: 'in', method: 'roots/list', target: null, status: 'ok', dur_ms: 3.2 },
  {
    kind: 'unparsable',
    dir: 'in',
    target: '\ufffd\ufffd not UTF-8',
    findings: [{ code: 'invalid-utf8', severity: 'error', message: 'the line is not UTF-8', rule: null }],
  },
  { kind: 'exchange', method: 'ping', target: null, status: 'late', dur_ms: 61_200 },
  {
    kind: 'unparsable',
    dir: 'in',
    target: '{"jsonrpc":"2.0","id":71,"result":{"content":[{"type":"text","text":"0123456789abcdef',
    size: 90_177_536,
    findings: [
      {
        code: 'oversized',
        severity: 'error',
        message: 'the line is longer than a message may be',
        rule: null,
      },
    ],
  },
  { kind: 'orphan', dir: 'in', method: null, target: null, status: null },
  { kind: 'exchange', method: 'tools/call', target: 'slow', status: 'cancelled', dur_ms: 4000 },
  { kind: 'exchange', method: 'tools/call', target: 'add', status: 'ok', dur_ms: 1.3 },
  ...httpRows,
  ...lineRows,
];

function pastRow(index: number): LogRow {
  const part = pattern[index % pattern.length] ?? {};
  const exchange = part.kind === 'exchange' || part.kind === 'orphan';
  return {
    seq: index + 1,
    time: timeAt(origin + index * 137.113),
    connection: 1,
    server: 'demo',
    dir: 'out',
    kind: 'exchange',
    method: null,
    target: null,
    id: exchange ? (part.dir === 'in' ? `"s${index % 900}"` : String(index % 9000)) : null,
    status: null,
    code: null,
    dur_ms: null,
    size: part.target === 'huge' ? 52_428_900 : 180 + ((index * 7919) % 6100),
    findings: [],
    ...part,
  };
}

function pastFrames(row: LogRow): string[] {
  if (row.kind === 'mark' || row.kind === 'http') return [];
  if (row.findings.some((finding) => finding.code === 'oversized'))
    return [`${row.target}${'0123456789abcdef'.repeat(16_384)}`.slice(0, 262_144)];
  if (row.kind === 'unparsable' || row.kind === 'stderr') return [row.target ?? ''];
  if (row.method === 'notifications/message') return [messageFrame(row)];
  if (row.kind === 'notification')
    return [
      `{"jsonrpc":"2.0","method":"${row.method}","params":{"progressToken":7,"progress":60,"total":100}}`,
    ];
  if (row.kind === 'orphan') return [`{"jsonrpc":"2.0","id":${row.id},"result":{}}`];
  const request = `{"jsonrpc":"2.0","id":${row.id},"method":"${row.method}","params":{"name":"${row.target}","arguments":{"from":"Oslo","seats":2,"price":1.10,"big":12345678901234567890}}}`;
  if (row.status === 'protocol-error')
    return [
      request,
      `{"jsonrpc":"2.0","id":${row.id},"error":{"code":${row.code},"message":"Method not found"}}`,
    ];
  const text = row.target === 'huge' ? `${'0123456789abcdef'.repeat(16_000)}` : 'Oslo to Bergen, 6 h 45 min';
  const answer = `{"jsonrpc":"2.0","id":${row.id},"result":{"content":[{"type":"text","text":"${text}"}],"structuredContent":{"hours":6.75,"legs":[1,2,3]}${row.status === 'tool-error' ? ',"isError":true' : ''}}}`;
  return [request, row.target === 'huge' ? answer.slice(0, 262_144) : answer];
}

function messageFrame(row: LogRow): string {
  const said = messages.find((each) => messageRow(each).target === row.target) ?? {
    level: 'info',
    logger: 'files',
    data: 'watching 3 folders',
  };
  const text = JSON.stringify({ jsonrpc: '2.0', method: row.method, params: said });
  if (row.target?.startsWith('info dump: ') !== true) return text;
  return `${text.slice(0, -3)}${'0123456789abcdef'.repeat(16_384)}`.slice(0, 262_144);
}
