import { describe, expect, it } from 'vitest';
import type { ResourceSummary, TemplateSummary } from '../../backend/bindings';
import { linesOf, partsOf, revealed, templatesKey, treeOf, type Folder, type Line } from './tree';

function resource(uri: string, index = 0): ResourceSummary {
  const none = { title: null, description: null, mime_type: null, size: null, problem: null };
  return { index, uri, name: uri, ...none };
}

const template: TemplateSummary = {
  index: 0,
  uri_template: 'a://{x}',
  name: 't',
  title: null,
  description: null,
  mime_type: null,
  variables: ['x'],
  problem: null,
};

const tree = (...uris: string[]): Folder => treeOf(uris.map(resource));

/** The lines as a person sees them. */
const drawn = (lines: Line[]): string[] =>
  lines.map((line) => {
    const more = line.kind === 'folder' ? ` ${line.open ? 'open' : 'closed'} ${line.count}` : '';
    return `${'  '.repeat(line.depth)}${line.label}${more}`;
  });

const every = [
  '',
  '::',
  ':',
  '/',
  '//',
  '///',
  'a:',
  'a://',
  'a:///',
  'a://b',
  'urn:isbn:1',
  '?',
  '#',
  'a?b/c',
  'a://h/?q=/',
];

describe('the parts of an address', () => {
  it('are scheme, authority and segments', () => {
    expect(partsOf('https://docs.example.com/guide/intro?x=1/2#y')).toEqual([
      'https://',
      'docs.example.com/',
      'guide/',
      'intro?x=1/2#y',
    ]);
    expect(partsOf('file:///home/ada/')).toEqual(['file:///', 'home/', 'ada/']);
    expect(partsOf('urn:isbn:123')).toEqual(['urn:', 'isbn:123']);
    expect(partsOf('just text')).toEqual(['just text']);
  });

  it('joined are the address, whatever text it is', () => {
    const odd = [
      ...every,
      'a/'.repeat(3000),
      `${'x'.repeat(5000)}:`,
      '\u0000\u202e\ud800/\n',
      'a://b//c///d',
    ];
    for (const uri of odd) {
      const parts = partsOf(uri);
      expect(parts.join('')).toBe(uri);
      expect(parts.length, 'no tree of a thousand levels').toBeLessThanOrEqual(17);
      expect(parts.length).toBeGreaterThan(0);
    }
  });
});

describe('the tree of addresses', () => {
  it('has folders in folders with what is in them counted, and one line for folders that hold only one', () => {
    const root = tree(
      'file:///home/ada/a.md',
      'file:///home/ada/src/b.rs',
      'file:///home/ada/src/c.rs',
      'urn:x',
    );
    expect(drawn(linesOf(root, [], new Map(), false))).toEqual([
      'file:///home/ada/ open 3',
      '  src/ open 2',
      '    b.rs',
      '    c.rs',
      '  a.md',
      'urn: open 1',
      '  x',
    ]);
  });

  it('has every entry exactly once, also those with the same address or none', () => {
    const root = treeOf([...every, ...every].map(resource));
    const places = linesOf(root, [], new Map(), true).flatMap((line) =>
      line.kind === 'resource' ? [line.entry.index] : [],
    );
    expect(places.sort((one, other) => one - other)).toEqual(
      Array.from({ length: every.length * 2 }, (_, at) => at),
    );
  });

  it('keeps an address apart from the folder that begins like it', () => {
    const root = tree('a://x', 'a://x/y');
    expect(drawn(linesOf(root, [], new Map(), false))).toEqual([
      'a:// open 2',
      '  x/ open 1',
      '    y',
      '  x',
    ]);
  });

  it('says for each line where it stands among its siblings', () => {
    const lines = linesOf(tree('a://x/1', 'a://x/2', 'b'), [template], new Map(), false);
    expect(lines.map((line) => `${line.place} of ${line.siblings}`)).toEqual([
      '1 of 3',
      '1 of 2',
      '2 of 2',
      '2 of 3',
      '3 of 3',
      '1 of 1',
    ]);
  });

  it('folds what the person folded, and closes what is large unless one searches', () => {
    const root = treeOf(
      Array.from({ length: 200 }, (_, at) => resource(`a://h/${at < 100 ? 'x' : 'y'}/${at}`, at)),
    );
    expect(drawn(linesOf(root, [], new Map(), false))).toEqual([
      'a://h/ open 200',
      '  x/ closed 100',
      '  y/ closed 100',
    ]);
    expect(linesOf(root, [], new Map(), true)).toHaveLength(203);
    expect(linesOf(root, [], new Map([['a://h/x/', true]]), false)).toHaveLength(103);
    expect(linesOf(root, [], new Map([['a://h/', false]]), true)).toHaveLength(1);
  });

  it('opens the way to an address', () => {
    const uris = Array.from({ length: 300 }, (_, at) => `a://h/${at % 3}/deep/${at}`);
    const root = treeOf(uris.map(resource));
    const folds = revealed(new Map([['a://h/', false]]), 'a://h/1/deep/4');
    const shown = linesOf(root, [], folds, false).flatMap((line) =>
      line.kind === 'resource' ? [line.entry.uri] : [],
    );
    expect(shown).toContain('a://h/1/deep/4');
    expect(shown).not.toContain('a://h/2/deep/5');
  });

  it('has the templates in a branch of their own', () => {
    const lines = linesOf(tree('a://x'), [template], new Map([[templatesKey, false]]), false);
    expect(drawn(lines)).toEqual(['a:// open 1', '  x', 'Templates closed 1']);
    expect(drawn(linesOf(tree(), [template], new Map(), false))).toEqual(['Templates open 1', '  a://{x}']);
  });

  it('of ten thousand addresses is quick, also where they are of the worst kind', () => {
    const kinds: ((at: number) => string)[] = [
      (at) => `s3://bucket-${at % 40}/a/b/${at % 97}/${at}.json`,
      (at) => `${at}/`.repeat(24) + String(at),
      (at) => `${'/'.repeat(500)}${at}`,
    ];
    for (const kind of kinds) {
      const list = Array.from({ length: 10_000 }, (_, at) => resource(kind(at), at));
      const start = performance.now();
      const lines = linesOf(treeOf(list), [], new Map(), true);
      const took = performance.now() - start;
      expect(lines.filter((line) => line.kind === 'resource')).toHaveLength(10_000);
      // A limit against what grows with the square, not a measure: the machine may be busy.
      expect(took).toBeLessThan(5000);
    }
  });
});
