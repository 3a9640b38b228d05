import type { CatalogName, ServerDetail, ServerSummary } from './bindings';
import { FakeLog } from './fake-log';
import type { Part, Whole } from './fake-parts';

type Named = 'set_log_level' | 'ping_server' | 'find_related';

/** Log levels, pings and related rows of the fake. */
export class FakeLogs {
  private pings = 0;

  constructor(
    private readonly whole: Whole,
    /** Rows of the past are the same in every log. */
    private readonly log = new FakeLog(Number.MAX_SAFE_INTEGER),
  ) {}

  commands(): Part<Named> {
    const { fail, levelled } = this.whole;
    return {
      set_log_level: ({ server, level }) => {
        if (server === 'calendar')
          fail('server-error', `server \`${server}\` refused \`logging/setLevel\` with \`${level}\``);
        levelled(server, level);
        return {};
      },
      ping_server: async ({ server }) => {
        const turn = (this.pings += 1);
        const ms = 1.1 + Math.abs(Math.sin(turn * 1.7)) * 1.4 + (turn % 11 === 0 ? 9 : 0);
        await new Promise((resolve) => setTimeout(resolve, ms));
        if (turn % 13 === 0) fail('timeout', `server \`${server}\` did not answer \`ping\` within 2 s`);
        return { ms };
      },
      find_related: ({ seq }) => ({ rows: this.log.related(seq), more: 0 }),
    };
  }
}

type Agreement = Pick<
  ServerDetail,
  'offered_revision' | 'definitions' | 'server_capabilities' | 'client_capabilities'
>;

/** What was agreed with a server, and what its lists come to. */
export function fakeAgreement(server: ServerSummary): Agreement {
  if (server.state !== 'ready')
    return {
      offered_revision: null,
      definitions: [],
      server_capabilities: null,
      client_capabilities: '{"roots":{"listChanged":true}}',
    };
  const demo = server.id === 'demo';
  const sizes: [catalog: CatalogName, entries: number | null, each: number][] = [
    ['tools', server.tool_count, 1840],
    ['resources', server.resource_count, 212],
    ['templates', server.template_count, 260],
    ['prompts', server.prompt_count, 340],
  ];
  return {
    // One of them answers with an older revision than it was asked for.
    offered_revision: server.id === 'filesystem' ? '2026-07-28' : server.revision,
    definitions: sizes.flatMap(([catalog, entries, each]) =>
      entries === null ? [] : [{ catalog, entries, bytes: entries * each }],
    ),
    server_capabilities: JSON.stringify(
      demo ? everything : server.id === 'calendar' ? { ...plain, logging: {} } : plain,
    ),
    client_capabilities: JSON.stringify(
      demo
        ? {
            roots: { listChanged: true },
            sampling: { tools: {}, context: {} },
            elicitation: { form: {}, url: {} },
            tasks: { list: {}, cancel: {}, requests: { elicitation: { create: {} } } },
          }
        : { roots: {}, elicitation: {} },
    ),
  };
}

const plain = { tools: {}, 'x-vendor\u202estnirp': { anything: [1, 2] } };

const everything = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: {},
  completions: {},
  logging: {},
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  experimental: { 'example.com/tracing': {}, 'example.com/replay': { version: 2 } },
};
