import type { Backend } from '../backend/backend';
import type {
  Call,
  Commands,
  FrameDetail,
  HttpDetail,
  LogRow,
  Question,
  ServerList,
  ServerSummary,
} from '../backend/bindings';

/** A backend for tests: answers what it is given to answer, and keeps what it was asked. */
export class Stub implements Backend {
  readonly asked: { command: keyof Commands; request: unknown }[] = [];

  constructor(private readonly answers: Answers) {}

  async call<C extends keyof Commands>(command: C, request: Commands[C][0]): Promise<Commands[C][1]> {
    this.asked.push({ command, request });
    const answer: ((request: Commands[C][0]) => Commands[C][1] | Promise<Commands[C][1]>) | undefined =
      this.answers[command];
    if (answer === undefined) throw new Error(`the test has no answer to ${command}`);
    return answer(request);
  }

  requests<C extends keyof Commands>(command: C): Commands[C][0][] {
    return this.asked
      .filter((each) => each.command === command)
      .map((each) => each.request as Commands[C][0]);
  }
}

export type Answers = {
  [C in keyof Commands]?: (request: Commands[C][0]) => Commands[C][1] | Promise<Commands[C][1]>;
};

export function server(part: Partial<ServerSummary> & { id: string }): ServerSummary {
  return {
    name: part.id,
    origin: { layer: 'project', file: null },
    overrides: [],
    enabled: true,
    auto_start: false,
    changed: false,
    restarts: 0,
    retry: null,
    transport: 'stdio',
    state: 'ready',
    since: 0,
    phase: null,
    revision: null,
    pid: null,
    latency_ms: null,
    tool_count: null,
    resource_count: null,
    template_count: null,
    prompt_count: null,
    catalog_revision: 1,
    news_revision: 1,
    log_level: null,
    problem: null,
    flaw: null,
    list_problems: [],
    ...part,
  };
}

export function row(seq: number, part: Partial<LogRow> = {}): LogRow {
  return {
    seq,
    time: '2026-01-01T00:00:00.000000000Z',
    connection: 1,
    server: 'demo',
    dir: 'out',
    kind: 'exchange',
    method: 'ping',
    target: null,
    id: String(seq),
    status: 'ok',
    code: null,
    dur_ms: 1,
    size: 10,
    findings: [],
    ...part,
  };
}

export function frame(part: Partial<FrameDetail> = {}): FrameDetail {
  return {
    index: 0,
    dir: 'in',
    time: '2026-01-01T00:00:00.000000000Z',
    size: 2,
    kept: 2,
    text: '{}',
    base64: null,
    shown: 2,
    digest: null,
    http: null,
    event: null,
    ...part,
  };
}

export function httpExchange(part: Partial<HttpDetail> = {}): HttpDetail {
  return {
    number: 1,
    follows: null,
    method: 'POST',
    url: 'https://example.com/mcp',
    started: '2026-01-01T00:00:00.000000000Z',
    request_headers: [],
    status: 200,
    version: 'HTTP/1.1',
    response_headers: [],
    phases_ms: { dns: null, connect: null, tls: null, first_byte: 1, body: 1 },
    tls: null,
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
    after_ms: 2,
    problem: null,
    ...part,
  };
}

export function call(id: number, status: Call['status']): Call {
  return {
    id,
    server: 'demo',
    method: 'tools/call',
    target: 'add',
    tool: 'add',
    arguments: '{}',
    status,
    started: 0,
    elapsed_ms: null,
    progress: null,
    task: null,
    result: null,
    error: null,
    violations: [],
    note: null,
    request_id: '1',
  };
}

export function question(number: number, part: Partial<Question> = {}): Question {
  return {
    number,
    server: 'demo',
    method: 'elicitation/create',
    params: null,
    clipped: false,
    size: part.params?.length ?? 0,
    asked: 0,
    call: null,
    task: null,
    ...part,
  };
}

/** An answer that comes when the test says so. */
export function later<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((given) => (resolve = given));
  return { promise, resolve };
}

/** A list of servers that nobody arranged, with nothing wrong. */
export function serverList(servers: ServerSummary[]): ServerList {
  return { servers, arrangement: { groups: [] }, problems: [], keeper: { kind: 'keyring', notice: null } };
}
