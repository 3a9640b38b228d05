import type {
  FrameDetail,
  HttpDetail,
  LogRow,
  RowDetail,
  ServerDetail,
  ServerSummary,
  TlsFacts,
} from './bindings';
import { started, summary } from './fake-summary';

/** Servers reached by HTTP: one that is ready, one that was never asked, one that wants to know who asks. */
export function fakeRemotes(): ServerSummary[] {
  return [
    summary({
      id: 'calendar',
      state: 'ready',
      transport: 'http',
      revision: '2025-11-25',
      latency_ms: 42.7,
      tool_count: 2,
      list_problems: [
        {
          catalog: 'prompts',
          error: {
            code: 'timeout',
            title: 'Timed out',
            message: 'server `calendar` did not answer `prompts/list` within 30 s',
            hint: null,
            chain: [],
            context: [],
          },
        },
      ],
    }),
    summary({
      id: 'issues',
      state: 'failed',
      transport: 'http',
      problem: {
        code: 'handshake-failed',
        title: 'The server wants authorization',
        message: 'server `issues` answered `initialize` with 401',
        hint: 'give it an `Authorization` header: `headers: { "Authorization": "Bearer ${TOKEN}" }` in its entry',
        chain: [],
        context: [
          { name: 'url', value: issues },
          { name: 'status', value: '401' },
          { name: 'scheme', value: 'Bearer' },
          {
            name: 'resource metadata',
            value:
              'https://issues.example.com/.well-known/oauth-protected-resource/organisations/harbour/mcp',
          },
          { name: 'scope', value: 'issues:read issues:write organisation:members:read offline_access' },
          {
            name: 'www-authenticate',
            value: `Bearer realm="issues", error="invalid_token", error_description="The access token expired \u202eyadot", scope="issues:read issues:write organisation:members:read offline_access", resource_metadata="https://issues.example.com/.well-known/oauth-protected-resource/organisations/harbour/mcp"`,
          },
        ],
      },
    }),
    summary({
      id: 'renewing',
      state: 'starting',
      transport: 'http',
      since: started - 2000,
      phase: 'the session was lost; beginning a new one',
    }),
    summary({
      id: 'search-api',
      state: 'stopped',
      transport: 'sse',
      origin: { layer: 'global', file: '~/.config/sonde/servers.json' },
    }),
  ];
}

/** How one of them is reached; none for a server that is a process. */
export function fakeReach(server: ServerSummary): Pick<ServerDetail, 'launch' | 'session' | 'tls'> | null {
  if (server.transport === 'stdio') return null;
  const calendar = server.id === 'calendar';
  const url = calendar ? address : server.id === 'issues' ? issues : `http://${server.id}.example.com/sse`;
  return {
    launch: {
      kind: 'url',
      url,
      origin: new URL(url).origin,
      dialect: calendar ? 'auto' : server.transport,
      headers: calendar
        ? [
            { name: 'Authorization', value: '‹secret:1f0c22ab›' },
            { name: 'X-Tenant', value: 'harbour' },
            {
              name: 'X-Very-Long-Name-Of-A-Header-For-Tracing',
              value: '00-4bf92f3577b34da6a3ce929d0e0e4736-01',
            },
          ]
        : [],
      proxy: calendar ? 'http://proxy.example.com:3128' : null,
      ca_file: calendar ? '/home/ada/shop/certificates/harbour-ca.pem' : null,
      client_certificate: null,
      client_key: null,
      trust: null,
    },
    ...(calendar ? { session: '‹session:3fa2b1c0›', tls: certificate } : {}),
  };
}

const address =
  'https://calendar.example.com/organisations/harbour/teams/navigation-and-tides/servers/calendar/mcp?region=north&audience=internal-tools&version=2026-03';
const issues = 'https://issues.example.com/organisations/harbour/mcp';

const certificate: TlsFacts = {
  version: 'TLS 1.3',
  subject: 'CN=calendar.example.com, O=Harbour Office',
  issuer: 'CN=Harbour Root CA 2, O=Harbour Office, C=NO',
  names: ['calendar.example.com', '*.calendar.example.com', 'tides.example.com'],
  not_before: '2026-01-01T00:00:00Z',
  not_after: new Date(started + 6.2 * 86_400_000).toISOString(),
  fingerprint: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  trusted: 'signed by a certificate of `caFile`',
};

/** Rows of a server reached by HTTP: a stream that is open, one that broke, calls answered both ways, the end. */
export const httpRows: Partial<LogRow>[] = [
  { kind: 'mark', target: 'connected · initialize · 2025-11-25', server: 'calendar', connection: 2 },
  http({ method: 'GET', status: 'pending', code: 200 }),
  http({ method: 'GET', status: 'ok', code: 405, dur_ms: 3.1 }),
  {
    kind: 'exchange',
    method: 'tools/call',
    target: 'echo',
    status: 'ok',
    dur_ms: 61.2,
    server: 'calendar',
    connection: 2,
  },
  { kind: 'mark', target: 'stream broke, going on after event 1_41', server: 'calendar', connection: 2 },
  http({
    method: 'GET',
    status: 'protocol-error',
    code: 200,
    dur_ms: 60_400,
    findings: [
      {
        code: 'http-failed',
        severity: 'error',
        message: 'the stream ended in the middle of an event',
        rule: null,
      },
    ],
  }),
  {
    kind: 'notification',
    dir: 'in',
    method: 'notifications/tools/list_changed',
    server: 'calendar',
    connection: 2,
  },
  http({ method: 'DELETE', status: 'ok', code: 204, dur_ms: 4.4 }),
];

function http(part: Partial<LogRow>): Partial<LogRow> {
  return { kind: 'http', target: new URL(address).pathname, server: 'calendar', connection: 2, ...part };
}

/** What a row travelled by. */
export function travelled(row: LogRow, frames: FrameDetail[]): Pick<RowDetail, 'frames' | 'http'> {
  if (row.server !== 'calendar' || row.kind === 'mark') return { frames, http: [] };
  if (row.kind === 'notification')
    return {
      frames: frames.map((frame) => ({
        ...frame,
        http: 2,
        event: { id: `${'stream-of-events/'.repeat(6)}42`, name: null, retry: null },
      })),
      http: [stream(row, null, null)],
    };
  if (row.kind === 'http') {
    if (row.method === 'DELETE' || row.code === 405) return { frames, http: [short(row)] };
    return { frames, http: [stream(row, row.dur_ms, row.findings[0]?.message ?? null)] };
  }
  const [request, response] = frames;
  return {
    frames: [
      ...(request ? [{ ...request, http: 5 }] : []),
      ...(response ? [{ ...response, http: 6, event: { id: '1_41', name: 'message', retry: 3000 } }] : []),
    ],
    http: call(row),
  };
}

function exchange(row: LogRow, part: Partial<HttpDetail>): HttpDetail {
  return {
    number: 5,
    follows: null,
    method: 'POST',
    url: address,
    started: row.time,
    request_headers: [
      { name: 'accept', value: 'application/json, text/event-stream' },
      { name: 'content-type', value: 'application/json' },
      { name: 'authorization', value: '‹secret:1f0c22ab›' },
      { name: 'mcp-protocol-version', value: '2025-11-25' },
      { name: 'mcp-session-id', value: '‹session:3fa2b1c0›' },
      { name: 'x-tenant', value: 'harbour' },
      { name: 'user-agent', value: 'sonde/0.1.0' },
    ],
    status: 200,
    version: 'HTTP/1.1',
    response_headers: [
      { name: 'content-type', value: 'text/event-stream' },
      { name: 'cache-control', value: 'no-cache, no-transform' },
      { name: 'content-encoding', value: 'gzip' },
      { name: 'set-cookie', value: '‹secret:77aa01ce›; Path=/; HttpOnly; SameSite=Lax' },
      { name: 'x-greeting', value: 'Hello \u202edlrow\u202c, \u200bnothing to see' },
      {
        name: 'content-security-policy',
        value: `default-src 'none'; ${'frame-ancestors https://a.example.com https://b.example.com; '.repeat(4)}`,
      },
      { name: 'date', value: 'Tue, 31 Mar 2026 06:00:00 GMT' },
    ],
    phases_ms: { dns: null, connect: null, tls: null, first_byte: 12.1, body: 49.1 },
    tls: certificate,
    traffic: {
      sent: 182,
      body: 1416,
      recorded: 1290,
      comments: 42,
      framing: 84,
      dropped: 0,
      events: 3,
      comment_lines: 2,
      compressed: 612,
    },
    after_ms: row.dur_ms,
    problem: null,
    ...part,
  };
}

/** A call that was redirected, and whose stream broke and was resumed. */
function call(row: LogRow): HttpDetail[] {
  const none = { body: 0, recorded: 0, comments: 0, framing: 0, events: 0, comment_lines: 0, compressed: 0 };
  const base = exchange(row, {});
  return [
    {
      ...base,
      number: 4,
      status: 307,
      url: 'https://calendar.example.com/mcp',
      response_headers: [
        { name: 'location', value: address },
        { name: 'content-length', value: '0' },
      ],
      phases_ms: { dns: 2.4, connect: 8.6, tls: 17.2, first_byte: 6.3, body: 0.1 },
      traffic: { ...base.traffic, ...none },
      after_ms: 34.6,
    },
    {
      ...base,
      follows: 4,
      traffic: { ...base.traffic, dropped: 5_242_880, body: base.traffic.body + 5_242_880 },
      problem: 'the stream ended before the answer came',
    },
    {
      ...base,
      number: 6,
      follows: 5,
      method: 'GET',
      request_headers: [...base.request_headers, { name: 'last-event-id', value: '1_40' }],
      traffic: { ...base.traffic, sent: 0 },
    },
  ];
}

function stream(row: LogRow, after: number | null, problem: string | null): HttpDetail {
  return exchange(row, {
    number: 2,
    method: 'GET',
    phases_ms: {
      dns: 0.4,
      connect: 8.6,
      tls: 17.2,
      first_byte: 6.3,
      body: after === null ? null : after - 32.5,
    },
    after_ms: after,
    problem,
  });
}

function short(row: LogRow): HttpDetail {
  return exchange(row, {
    number: 9,
    method: row.method ?? '',
    status: row.code,
    response_headers: [{ name: 'content-length', value: '0' }],
    phases_ms: { dns: null, connect: null, tls: null, first_byte: (row.dur_ms ?? 0) - 0.1, body: 0.1 },
    traffic: {
      sent: 0,
      body: 0,
      recorded: 0,
      comments: 0,
      framing: 0,
      dropped: 0,
      events: 0,
      comment_lines: 0,
      compressed: 0,
    },
  });
}
