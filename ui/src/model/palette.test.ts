import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Hit, SearchResult } from '../backend/bindings';
import { entryOf, Palette, rank, type Entry } from './palette.svelte';
import { later, Stub } from './stub';

const hit = (name: string, kind: Hit['kind'] = 'tool'): Hit => ({
  kind,
  server: 'demo',
  name,
  title: null,
  full_name: null,
});
const action = (name: string): Entry => ({
  id: `action:${name}`,
  kind: 'action',
  name,
  about: '',
  hit: null,
  run: () => undefined,
});

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('the palette', () => {
  it('asks once nobody types, and shows the newest answer', async () => {
    const first = later<SearchResult>();
    const answers = [Promise.resolve({ hits: [], total: 0 }), first.promise];
    const stub = new Stub({
      search_entries: () => answers.shift() ?? { hits: [hit('echo')], total: 7 },
    });
    const palette = new Palette(stub);
    palette.open([action('Add a server')], []);
    palette.type('e');
    await vi.runAllTimersAsync();
    palette.type('ec');
    palette.type('echo');
    await vi.runAllTimersAsync();
    first.resolve({ hits: [hit('eject')], total: 1 });
    await vi.runAllTimersAsync();
    expect(stub.requests('search_entries').map((each) => each.query)).toEqual(['', 'e', 'echo']);
    expect(palette.shown.map((entry) => entry.name)).toEqual(['echo']);
    expect(palette.more, 'what the core kept back is counted').toBe(6);
  });

  it('finds a tool by its whole name, and shows that', async () => {
    const whole = { ...hit('read_file'), server: 'files', full_name: 'mcp:files.read_file' };
    const stub = new Stub({ search_entries: () => ({ hits: [hit('echo'), whole], total: 2 }) });
    const palette = new Palette(stub);
    palette.open([action('Add a server')], []);
    palette.type('mcp:files.read_file');
    await vi.runAllTimersAsync();
    expect(palette.shown.map((entry) => entry.name)).toEqual(['read_file']);
    expect(palette.shown[0]?.about).toBe('mcp:files.read_file');
  });

  it('goes round, and starts at the best match of new words', async () => {
    const palette = new Palette(new Stub({ search_entries: () => ({ hits: [], total: 0 }) }));
    palette.open(['a', 'b', 'c'].map(action), []);
    palette.move(-1);
    expect(palette.current?.name).toBe('c');
    palette.move(1);
    expect(palette.current?.name).toBe('a');
    palette.move(2);
    palette.type('b');
    expect(palette.current?.name).toBe('b');
  });

  it('works without the core', async () => {
    const palette = new Palette(new Stub({ search_entries: () => Promise.reject(new Error('gone')) }));
    palette.open([action('Import')], []);
    palette.type('imp');
    await vi.runAllTimersAsync();
    expect(palette.current?.name).toBe('Import');
  });
});

describe('what is found', () => {
  const entries = [action('Add a server'), entryOf(hit('add')), entryOf(hit('padding'))];

  it('begins with what was used last where nothing is typed', () => {
    expect(rank('', entries, ['tool:demo:padding'])[0]?.name).toBe('padding');
  });

  it('is the better the more of its name was typed, and of two alike the one used last', () => {
    expect(rank('add', entries, []).map((entry) => entry.name)).toEqual(['add', 'Add a server', 'padding']);
    const alike = [entryOf(hit('copy', 'tool')), entryOf(hit('copy', 'prompt'))];
    expect(rank('copy', alike, ['prompt:demo:copy'])[0]?.kind).toBe('prompt');
  });

  it('answers to its server and its kind too', () => {
    expect(rank('demo tool pad', entries, []).map((entry) => entry.name)).toEqual(['padding']);
  });
});
