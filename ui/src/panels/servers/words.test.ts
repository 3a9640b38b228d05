import { describe, expect, it } from 'vitest';
import { server } from '../../model/stub';
import { countdown, facts, listStatus, originLine } from './words';

describe('the line below a name', () => {
  it('says how it is reached, how it is, and how often it came back', () => {
    const ready = server({ id: 'a', revision: '2025-11-25', latency_ms: 8.6, restarts: 2 });
    expect(facts(ready, false)).toBe('stdio · 2 restarts · 2025-11-25 · 8.6 ms');
    expect(facts(server({ id: 'a', state: 'stopped', transport: 'http' }), false)).toBe(
      'http · not connected',
    );
  });

  it('names the layer where no heading does', () => {
    expect(facts(server({ id: 'a', state: 'stopped' }), true)).toContain('project');
  });

  it('says of one that is switched off just that', () => {
    const off = server({ id: 'a', state: 'stopped', enabled: false });
    expect(facts(off, false)).toBe('disabled · stdio');
    expect(listStatus(off).word).toBe('disabled');
  });
});

it('where a server is written down is told with what it hides', () => {
  const here = server({
    id: 'a-b',
    name: 'A b',
    origin: { layer: 'project', file: '~/x/.mcp.json' },
    overrides: [{ layer: 'global', file: '~/y.json' }],
  });
  expect(originLine(here)).toBe('A b (a-b)\n~/x/.mcp.json (project)\nhides the one in ~/y.json (global)');
});

it('the next try is counted down to now', () => {
  expect(countdown(8_400, 1_000)).toBe('in 8 s');
  expect(countdown(1_000, 1_000)).toBe('now');
  expect(countdown(600_000, 0)).toBe('in 10 min');
});
