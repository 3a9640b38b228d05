import type { ServerSummary } from './bindings';

/** When the fake began. */
export const started = Date.now();

export function summary(part: Partial<ServerSummary> & Pick<ServerSummary, 'id' | 'state'>): ServerSummary {
  return {
    name: part.id,
    origin: { layer: 'project', file: '~/shop/.mcp.json' },
    overrides: [],
    enabled: true,
    auto_start: false,
    changed: false,
    restarts: 0,
    retry: null,
    transport: 'stdio',
    since: started - 372_000,
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
