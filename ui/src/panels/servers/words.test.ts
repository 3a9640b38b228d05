import { describe, expect, it } from 'vitest';
import type { ApiError } from '../../backend/bindings';
import { server } from '../../model/stub';
import { baseName, countdown, facts, listStatus, originLine, trouble } from './words';

const wrong: ApiError = {
  code: 'configuration',
  title: 'Variable not set',
  message: 'the variable `X` is not set',
  hint: null,
  chain: [],
  context: [],
};

describe('the line below a name', () => {
  it('says how it is reached, how it is, and how often it came back', () => {
    const ready = server({ id: 'a', revision: '2025-11-25', latency_ms: 8.6, restarts: 2 });
    expect(facts(ready, false)).toBe('stdio · 2 restarts · 2025-11-25 · 8.6 ms');
    expect(facts(server({ id: 'a', state: 'stopped', transport: 'http' }), false)).toBe(
      'http · not connected',
    );
  });

  it('names the layer where no heading does, and keeps room for how fast it is', () => {
    expect(facts(server({ id: 'a', state: 'stopped' }), true)).toContain('project');
    const ready = server({ id: 'a', revision: '2025-11-25', latency_ms: 8.6 });
    expect(facts(ready, true)).toBe('stdio · project · 8.6 ms');
  });

  it('says of one that waits to be allowed that it would start', () => {
    const problem = { ...wrong, code: 'approval-needed' } as const;
    const waiting = server({ id: 'a', state: 'stopped', auto_start: true, problem });
    expect(facts(waiting, false)).toBe('stdio · starts once allowed');
    expect(trouble(waiting), 'that is no failure').toBeNull();
    expect(trouble({ ...waiting, auto_start: false })?.tone).toBe('err');
  });

  it('says of one that is switched off just that', () => {
    const off = server({ id: 'a', state: 'stopped', enabled: false });
    expect(facts(off, false)).toBe('disabled · stdio');
    expect(listStatus(off).word).toBe('disabled');
  });
});

it('a server whose entry or file is wrong says so where it stands', () => {
  const flaw = { file: '~/x/.mcp.json', severity: 'error', error: wrong } as const;
  const bad = server({ id: 'a', state: 'stopped', flaw });
  expect(listStatus(bad)).toMatchObject({ glyph: '▲', tone: 'err' });
  expect(trouble(bad)).toEqual({ text: 'Variable not set', tone: 'err' });
  const unread = server({ id: 'a', state: 'ready', flaw: { ...flaw, severity: 'warning' } });
  expect(listStatus(unread).word, 'what runs goes on').toBe('ready');
  expect(trouble(unread)).toEqual({ text: 'its file: Variable not set', tone: 'warn' });
});

it('a file is called by the last part of its path', () => {
  expect(baseName('/a/b/.mcp.json')).toBe('.mcp.json');
  expect(baseName('C:\\x\\servers.json')).toBe('servers.json');
  expect(baseName('servers.json')).toBe('servers.json');
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
