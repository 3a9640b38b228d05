import type { ServerSummary } from './bindings';

/** When the fake began. */
export const started = Date.now();

export function summary(part: Partial<ServerSummary> & Pick<ServerSummary, 'id' | 'state'>): ServerSummary {
  return {
    origin: { layer: 'project', file: '/home/ada/shop/.mcp.json' },
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
    problem: null,
    ...part,
  };
}
