import type { Backend } from './backend';
import type { ApiError, Call, Changes, Commands, ErrorCode, SendRequest, ServerSummary } from './bindings';
import { FakeBook } from './fake-book';
import { fakeResult, fakeTask } from './fake-results';
import { FakeLog } from './fake-log';
import { FakeLogs } from './fake-logs';
import type { Whole } from './fake-parts';
import { FakeQuestions } from './fake-questions';
import { FakePrompts } from './fake-prompts';
import { FakeResources } from './fake-resources';
import { edited } from './fake-posture';
import { checkArguments } from './fake-check';
import { fakeProblems } from './fake-configuration';
import { FakeRegistry } from './fake-registry';
import { fakeDetail, fakeServers, fakeTools, inputNeeded } from './fake-servers';

/**
 * The core in memory, to look at the window without it. The address may ask for more: `?rows=1000000` for a long
 * log, `?tools=10000` for many tools, `?empty` for nothing at all, `?trouble` for a disk that fails, `?servers=100` for
 * many servers, `?memory` for a system without a keyring, `?questions` for what a server asks.
 */
export function fakeBackend(search = location.search): Backend {
  return new Fake(new URLSearchParams(search));
}

type Handlers = {
  [C in keyof Commands]: (request: Commands[C][0]) => Commands[C][1] | Promise<Commands[C][1]>;
};

class Fake implements Backend {
  private readonly log: FakeLog;
  private readonly tools: number;
  private servers: ServerSummary[];
  private readonly calls = new Map<number, Call>();
  private readonly rows = new Map<number, number>();
  private changedCalls = new Map<number, number>();
  private revision = 1;
  private serversRevision = 1;
  private waiting: (() => void)[] = [];
  private readonly handlers: Handlers;
  private posture = edited({});
  private readonly registry: FakeRegistry;
  private readonly whole: Whole = {
    fail,
    news: (id) => this.bump(id, 'news_revision'),
    levelled: (id, level) => this.change(id, { log_level: level, since: this.server(id).since }),
    listed: (id) => this.bump(id, 'catalog_revision'),
  };
  private readonly resources = new FakeResources(this.whole);
  private readonly prompts = new FakePrompts(this.whole);
  private readonly book = new FakeBook(this.whole);
  private readonly questions: FakeQuestions;

  constructor(private readonly options: URLSearchParams) {
    this.tools = Number(options.get('tools') ?? 9);
    this.log = new FakeLog(options.has('empty') ? 0 : Number(options.get('rows') ?? 98_110));
    this.servers = options.has('empty') ? [] : fakeServers(this.tools, Number(options.get('servers') ?? 0));
    this.registry = this.register();
    this.questions = new FakeQuestions(
      { ...this.whole, changed: () => this.changed() },
      options.get('questions'),
    );
    this.handlers = this.commands();
  }

  async call<C extends keyof Commands>(command: C, request: Commands[C][0]): Promise<Commands[C][1]> {
    // As over the real channel, every answer is a copy and comes later.
    await new Promise((resolve) => setTimeout(resolve, 1));
    return structuredClone(await this.handlers[command](request));
  }

  private commands(): Handlers {
    return {
      ...this.registry.commands(),
      ...this.resources.commands(),
      ...this.prompts.commands(),
      ...new FakeLogs(this.whole, this.log).commands(),
      ...this.book.commands(),
      ...this.questions.commands(),
      list_servers: () => ({
        servers: this.servers,
        arrangement: this.registry.arrangement,
        problems: this.options.has('empty') ? [] : fakeProblems,
        keeper: this.options.has('memory')
          ? {
              kind: 'memory',
              notice: 'there is no keyring: secrets are kept in memory and gone when Sonde ends',
            }
          : { kind: 'keyring', notice: null },
      }),
      describe_server: ({ server }) => fakeDetail(this.server(server)),
      connect_server: ({ server }) => this.connect(server),
      disconnect_server: ({ server }) => this.disconnect(server),
      disconnect_all: () => {
        for (const each of this.servers) if (each.state !== 'stopped') this.disconnect(each.id);
        return {};
      },
      list_tools: ({ server }) => this.book.list(server, fakeTools(server, this.tools)),
      describe_tool: ({ server, index }) =>
        this.book.described(
          server,
          fakeTools(server, this.tools)[index] ?? fail('unknown-tool', `no tool ${index}`),
        ),
      check_arguments: ({ server, tool, arguments: text }) =>
        checkArguments(
          fakeTools(server, this.tools).find((each) => each.summary.name === tool),
          text,
        ),
      call_tool: ({ server, tool, arguments: text, task }) => {
        this.book.refuse(tool);
        return this.start(server, tool, text, task === undefined ? {} : { task: fakeTask });
      },
      list_calls: ({ server, method, target }) => ({
        calls: [...this.calls.values()].filter(
          (call) => call.server === server && call.method === method && call.target === target,
        ),
      }),
      await_task: ({ server, task }) =>
        this.start(server, '', '{}', { method: 'tasks/result', target: task }),
      refresh_catalog: () => ({}),
      describe_posture: () => this.posture,
      edit_posture: ({ edit }) => (this.posture = edited(edit)),
      send_request: (request) => this.send(request),
      send_bytes: () => ({ calls: [], connection: 1, after: this.log.total }),
      read_call: ({ call }) => this.calls.get(call) ?? fail('unknown-call', `no call ${call}`),
      cancel_call: ({ call }) => this.cancel(call),
      query_log: ({ view, first, count }) => this.log.page(view, first, count),
      read_row: ({ seq }) => this.log.detail(seq) ?? fail('unknown-row', `no row ${seq}`),
      read_frame: ({ seq, index, offset }) => {
        const end = this.log.detail(seq)?.frames[index]?.kept ?? 0;
        const size = Math.min(262_144, Math.max(0, end - offset));
        return { offset, base64: btoa('0123456789abcdef'.repeat(16_384).slice(0, size)), size };
      },
      wait_changes: ({ since }) => this.changes(since),
      report_ready: () => ({}),
    };
  }

  private register(): FakeRegistry {
    const servers = (): ServerSummary[] => this.servers;
    return new FakeRegistry({
      get servers() {
        return servers();
      },
      empty: this.options.has('empty'),
      tools: this.tools,
      find: (id) => this.server(id),
      fail,
      changed: (list) => {
        this.servers = list;
        this.serversRevision += 1;
        this.changed();
      },
    });
  }

  private async changes(since: number): Promise<Changes> {
    if (since >= this.revision) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return {
      revision: this.revision,
      log_total: this.log.total,
      log_bytes: this.log.total * 418,
      log_lost: this.options.has('trouble') ? 12 : 0,
      recording_problem: this.options.has('trouble')
        ? 'no space left on the disk of /home/ada/.local/share/sonde'
        : null,
      servers_revision: this.serversRevision,
      questions_revision: this.questions.revision,
      calls: [...this.changedCalls].flatMap(([call, revision]) => (revision > since ? [call] : [])),
    };
  }

  private changed(): void {
    this.revision += 1;
    for (const wake of this.waiting.splice(0)) wake();
  }

  private server(id: string): ServerSummary {
    return this.servers.find((server) => server.id === id) ?? fail('unknown-server', `no server \`${id}\``);
  }

  private change(id: string, part: Partial<ServerSummary>): void {
    this.servers = this.servers.map((server) =>
      server.id === id ? { ...server, since: Date.now(), ...part } : server,
    );
    this.serversRevision += 1;
    this.changed();
  }

  private connect(id: string): Record<string, never> {
    const missing = this.registry.missing(id);
    if (missing.length > 0) throw inputNeeded(id, missing);
    if (this.server(id).state === 'failed') {
      const problem = this.server(id).problem;
      if (problem !== null) throw problem;
    }
    this.change(id, { state: 'starting', phase: 'waiting for initialize', pid: 5000 });
    setTimeout(() => {
      this.change(id, {
        state: 'ready',
        phase: null,
        revision: '2025-11-25',
        latency_ms: 4.1,
        tool_count: fakeTools(id, this.tools).length,
      });
    }, 400);
    return {};
  }

  private disconnect(id: string): Record<string, never> {
    this.change(id, {
      state: 'stopped',
      phase: null,
      revision: null,
      pid: null,
      latency_ms: null,
      tool_count: null,
      retry: null,
      problem: null,
    });
    return {};
  }

  private start(server: string, tool: string, text: string, part: Partial<Call> = {}): Call {
    const id = this.calls.size + 1;
    const call: Call = {
      id,
      server,
      method: 'tools/call',
      target: tool,
      tool,
      arguments: text,
      status: 'running',
      started: Date.now(),
      elapsed_ms: null,
      progress: null,
      task: null,
      result: null,
      error: null,
      violations: [],
      note: null,
      request_id: String(100 + id),
      ...part,
    };
    this.calls.set(id, call);
    const params = tool === '' ? text : `{"name":${JSON.stringify(tool)},"arguments":${text}}`;
    const request = `{"jsonrpc":"2.0","id":${call.request_id},"method":"${call.method}","params":${params}}`;
    const row = this.log.add(
      {
        server,
        dir: 'out',
        kind: 'exchange',
        method: call.method,
        target: call.target,
        id: call.request_id,
        status: 'pending',
        code: null,
        dur_ms: null,
      },
      [request],
    );
    this.rows.set(id, row.seq);
    this.changed();
    if (tool === 'slow' || tool === 'plan_trip') this.step(id, 1);
    else setTimeout(() => this.answer(id), tool === 'flood' ? 200 : 12);
    return call;
  }

  /** Any request: what the agreement does not cover is held back unless the person insists. */
  private send(request: SendRequest): Call {
    if (request.method.startsWith('tasks/') && !request.anyway)
      fail(
        'objected',
        `server \`${request.server}\` did not declare \`tasks\`, which \`${request.method}\` needs`,
      );
    const params = JSON.parse(request.params ?? '{}') as Record<string, unknown>;
    const target = String(params['uri'] ?? params['name'] ?? '');
    return this.start(request.server, '', request.params ?? '{}', { method: request.method, target });
  }

  private bump(id: string, which: 'news_revision' | 'catalog_revision'): void {
    this.change(id, { [which]: this.server(id)[which] + 1, since: this.server(id).since });
  }

  private step(id: number, step: number): void {
    const call = this.calls.get(id);
    if (call?.status !== 'running') return;
    if (step > 10) return this.answer(id);
    this.update({ ...call, progress: { progress: step * 10, total: 100, message: `step ${step} of 10` } });
    setTimeout(() => this.step(id, step + 1), 600);
  }

  private answer(id: number): void {
    const call = this.calls.get(id);
    if (call?.status !== 'running') return;
    const given = JSON.parse(call.arguments) as Record<string, unknown>;
    if (call.method !== 'tools/call') {
      const answers = { ...this.resources.answers, ...this.prompts.answers };
      const result = JSON.stringify(answers[call.method]?.(given, call.server) ?? {});
      this.end({
        ...call,
        status: 'ok',
        result: { text: result, shown: result.length, size: result.length },
      });
      return;
    }
    if (call.tool === 'flood') this.flood(call.server, Number(given['count'] ?? 1000));
    if (call.tool === 'noise') this.noise(call.server);
    const told = fakeResult(call.tool);
    if (told !== null) {
      const text = JSON.stringify(told.result);
      const result = { text, shown: text.length, size: text.length };
      return this.end({ ...call, ...told, status: 'ok', result });
    }
    const sum = Number(given['a']) + Number(given['b']);
    const content =
      call.tool === 'add'
        ? String(sum)
        : call.tool === 'fail'
          ? 'the tool failed on purpose'
          : String(given['text'] ?? 'done');
    const result = JSON.stringify({
      content: [{ type: 'text', text: content }],
      ...(call.tool === 'add' ? { structuredContent: { sum } } : {}),
      ...(call.tool === 'fail' ? { isError: true } : {}),
    });
    this.end({
      ...call,
      status: call.tool === 'fail' ? 'tool-error' : 'ok',
      result: { text: result, shown: result.length, size: result.length },
    });
  }

  private cancel(id: number): Record<string, never> {
    const call = this.calls.get(id);
    if (call?.status === 'running') this.end({ ...call, status: 'cancelled' });
    return {};
  }

  private end(call: Call): void {
    const elapsed = Date.now() - call.started;
    const answer =
      call.result === null
        ? undefined
        : `{"jsonrpc":"2.0","id":${call.request_id},"result":${call.result.text}}`;
    const status = call.status === 'running' ? 'pending' : call.status;
    this.log.update(this.rows.get(call.id) ?? 0, { status, dur_ms: elapsed }, answer);
    this.update({ ...call, elapsed_ms: elapsed, progress: null });
  }

  private update(call: Call): void {
    this.calls.set(call.id, call);
    this.changedCalls.set(call.id, this.revision + 1);
    this.changed();
  }

  private flood(server: string, count: number): void {
    let sent = 0;
    const send = (): void => {
      for (let batch = 0; batch < 500 && sent < count; batch += 1, sent += 1) {
        const frame = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"line ${sent}"}}`;
        this.log.add(
          {
            server,
            dir: 'in',
            kind: 'notification',
            method: 'notifications/message',
            target: `info: line ${sent}`,
            id: null,
            status: null,
            code: null,
            dur_ms: null,
          },
          [frame],
        );
      }
      this.changed();
      if (sent < count) setTimeout(send, 1);
    };
    send();
  }

  private noise(server: string): void {
    const line = {
      server,
      dir: 'in',
      method: null,
      id: null,
      status: null,
      code: null,
      dur_ms: null,
    } as const;
    this.log.add({ ...line, kind: 'stderr', target: 'this went to stderr' }, ['this went to stderr']);
    const finding = {
      code: 'not-json',
      severity: 'error',
      message: 'not JSON: a value is expected at column 1',
      rule: null,
    } as const;
    this.log.add({ ...line, kind: 'unparsable', target: 'Oops: printed to stdout', findings: [finding] }, [
      'Oops: printed to stdout',
    ]);
  }
}

function fail(code: ErrorCode, message: string): never {
  const error: ApiError = { code, title: 'Not known', message, hint: null, chain: [], context: [] };
  // The window is promised an ApiError and nothing else.
  throw error;
}
