import { describe, expect, it } from 'vitest';
import type { ApiError, Content, ContentPart } from '../backend/bindings';
import { OpenContent } from './content.svelte';
import { later, Stub } from './stub';

const facts = (size: number): Content => ({
  size,
  media: 'image/png',
  width: 2,
  height: 1,
  appearance: 'image',
  problem: null,
});
const part = (offset: number, text: string): ContentPart => ({
  offset,
  base64: btoa(text),
  size: text.length,
});
const text = (content: OpenContent): string => new TextDecoder().decode(content.bytes);
const refused: ApiError = {
  code: 'too-large',
  title: 'Too large',
  message: 'more than can be decoded',
  hint: null,
  chain: [],
  context: [],
};

/** Gives the bytes of a text in parts of three. */
function world(whole: string): Stub {
  return new Stub({
    read_content: () => facts(whole.length),
    read_content_part: ({ offset }) => part(offset, whole.slice(offset, offset + 3)),
    save_content: ({ name }) => ({ path: name === 'no' ? null : `/tmp/${name}` }),
  });
}

describe('bytes in a result', () => {
  it('are described first and loaded only when asked for', async () => {
    const stub = world('abcdefgh');
    const content = new OpenContent(stub);
    await content.open(4, '/content/0/data');
    expect(content.facts?.size).toBe(8);
    expect(stub.requests('read_content_part')).toEqual([]);
    expect(content.whole).toBe(false);
  });

  it('are put together from their parts in order', async () => {
    const stub = world('abcdefgh');
    const content = new OpenContent(stub);
    await content.open(4, '/content/0/data');
    await content.load();
    expect(text(content)).toBe('abcdefgh');
    expect(content.whole).toBe(true);
    expect(stub.requests('read_content_part')).toEqual(
      [0, 3, 6].map((offset) => ({ call: 4, pointer: '/content/0/data', offset })),
    );
  });

  it('are loaded only as far as wanted, and later from there on', async () => {
    const stub = world('abcdefgh');
    const content = new OpenContent(stub);
    await content.open(4, '/a');
    await content.load(2);
    expect(text(content)).toBe('abc');
    await content.load();
    expect(text(content)).toBe('abcdefgh');
    expect(stub.requests('read_content_part').map(({ offset }) => offset)).toEqual([0, 3, 6]);
  });

  it('of another block take the place of those that were on their way', async () => {
    const first = later<Content>();
    const second = later<ContentPart>();
    const stub = new Stub({
      read_content: ({ pointer }) => (pointer === '/old' ? first.promise : facts(2)),
      read_content_part: ({ offset }) => (offset === 0 ? second.promise : part(offset, '')),
    });
    const content = new OpenContent(stub);
    const opened = content.open(1, '/old');
    await content.open(2, '/new');
    first.resolve(facts(99));
    await opened;
    expect(content.facts?.size, 'the answer about the old block came too late').toBe(2);

    const loaded = content.load();
    await content.open(3, '/newest');
    second.resolve(part(0, 'zz'));
    await loaded;
    expect(content.bytes, 'and so did its bytes').toHaveLength(0);
    expect(content.loading).toBe(false);
  });

  it('that can not be read say why, and keep what is here', async () => {
    const stub = new Stub({
      read_content: () => facts(6),
      read_content_part: ({ offset }) => {
        if (offset > 0) throw refused;
        return part(0, 'abc');
      },
    });
    const content = new OpenContent(stub);
    await content.open(1, '/a');
    await content.load();
    expect(content.error).toEqual(refused);
    expect(text(content)).toBe('abc');
    expect(content.loading).toBe(false);
  });

  it('that end too early are not asked for for ever', async () => {
    const stub = new Stub({
      read_content: () => facts(6),
      read_content_part: ({ offset }) => part(offset, ''),
    });
    const content = new OpenContent(stub);
    await content.open(1, '/a');
    await content.load();
    expect(stub.requests('read_content_part')).toHaveLength(1);
    expect(content.error?.message).toBe('only 0 of 6 bytes could be read');
  });

  it('that nobody can describe say why', async () => {
    const stub = new Stub({
      read_content: () => {
        throw refused;
      },
    });
    const content = new OpenContent(stub);
    await content.open(1, '/a');
    expect(content.error).toEqual(refused);
    await content.load();
    expect(stub.requests('read_content_part'), 'nothing is known to be there').toEqual([]);
  });

  it('are saved where the person says, or not at all', async () => {
    const content = new OpenContent(world('abc'));
    await content.open(1, '/a');
    expect(await content.save('picture.png')).toBe('/tmp/picture.png');
    expect(await content.save('no')).toBeNull();
  });
});
