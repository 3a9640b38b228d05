import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiError, Content } from '../../backend/bindings';
import { readJson } from '../../json/read';
import { Session } from '../../model/session.svelte';
import { call, Stub, type Answers } from '../../model/stub';
import ContentBlock from './ContentBlock.svelte';

let close = (): void => undefined;
let page: HTMLElement;
let session: Session;
let made: Blob[] = [];
let revoked: string[] = [];

beforeEach(() => {
  made = [];
  revoked = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    made.push(blob as Blob);
    return `blob:test/${made.length}`;
  });
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => void revoked.push(url));
});
afterEach(() => {
  close();
  vi.restoreAllMocks();
});

/** Bytes that the core knows, and what it says they are. */
function bytes(part: Partial<Content>, text = 'abc'): Answers {
  return {
    read_content: () => ({
      size: text.length,
      media: null,
      width: null,
      height: null,
      appearance: 'bytes',
      problem: null,
      ...part,
    }),
    read_content_part: ({ offset }) => ({
      offset,
      base64: btoa(text.slice(offset)),
      size: text.length - offset,
    }),
    save_content: ({ name }) => ({ path: `/home/ada/${name}` }),
  };
}

function open(block: unknown, answers: Answers = {}, pointer = '/content/0'): Stub {
  const stub = new Stub({ list_calls: () => ({ calls: [call(7, 'ok')] }), ...answers });
  session = new Session(stub);
  page = document.body.appendChild(document.createElement('div'));
  const text = typeof block === 'string' ? block : JSON.stringify(block);
  const mounted = mount(ContentBlock, {
    target: page,
    props: { session, call: 7, block: readJson(text).value, pointer },
  });
  flushSync();
  close = () => {
    close = () => undefined;
    void unmount(mounted);
    page.remove();
  };
  return stub;
}

const find = <E extends HTMLElement>(selector: string): E | null => page.querySelector<E>(selector);
const seen = (selector: string): Promise<HTMLElement> =>
  vi.waitFor(
    () => {
      flushSync();
      const element = find(selector);
      if (element === null) throw new Error(`no ${selector} in ${page.textContent}`);
      return element;
    },
    { timeout: 10_000 },
  );
const words = (): string => page.textContent.replaceAll(/\s+/g, ' ').trim();

const png = { appearance: 'image', media: 'image/png', width: 4, height: 3 } as const;
const picture = { type: 'image', mimeType: 'image/png', data: 'YWJj' };

describe('a block of text', () => {
  it('stays text, whatever it is said to be', () => {
    const text =
      '# Title\n<img src=x onerror=alert(1)><a href="https://example.com">here</a>\n![x](https://example.com/x.png)';
    open({ type: 'text', text });
    expect(find('pre')?.textContent).toBe(text);
    expect(find('a, img, h1, script, iframe')).toBeNull();
  });

  it('shows what hides in it', () => {
    open({ type: 'text', text: 'user\u202egnp.exe' });
    expect(find('.token')?.textContent).toBe('\\u202e');
  });

  it('that is long is cut with a count, and goes on in steps', async () => {
    open({ type: 'text', text: Array.from({ length: 1000 }, (_, line) => `line ${line}`).join('\n') });
    expect(find('[data-left]')?.textContent).toContain('940 more lines');
    find('[data-action="more"]')!.click();
    flushSync();
    expect(find('[data-left]')?.textContent).toContain('760 more lines');
    find('[data-action="more"]')!.click();
    flushSync();
    expect(find('[data-action="more"]'), 'and not for ever').toBeNull();
    expect(find('[data-left]')?.textContent).toContain('40 more lines');
  });

  it('that has few lines, but long ones, is counted by its characters too', () => {
    open({ type: 'text', text: `${'>'.repeat(100_000)}\n${'['.repeat(100_000)}` });
    expect(find('[data-left]')?.textContent).toContain('1 more line, 190,001 characters');
  });

  it('that is unfolded is drawn in parts, which are the same text together', () => {
    const text = `${'a line\n'.repeat(300)}\u202e${'>'.repeat(50_000)}${'word '.repeat(30_000)}`;
    open({ type: 'text', text });
    for (let steps = 0; steps < 2; steps += 1) {
      find('[data-action="more"]')!.click();
      flushSync();
    }
    const shown = text.slice(0, 160_000).replace('\u202e', '\\u202e');
    expect(find('pre')?.textContent).toBe(shown);
    const parts = [...page.querySelectorAll('pre .part')].map((part) => part.textContent);
    expect(parts.join(''), 'nothing stands beside them').toBe(shown);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(2100);
  });

  it('that is JSON can be looked at as a tree', () => {
    open({ type: 'text', text: '{"n":12345678901234567890}' });
    find('[data-segment="tree"]')!.click();
    flushSync();
    expect(find('[role="tree"]')?.textContent).toContain('12345678901234567890');
  });

  it('that is not JSON has no tree', () => {
    open({ type: 'text', text: '{not JSON' });
    expect(find('[data-segment="tree"]')).toBeNull();
  });

  it('says what the server claims of it', () => {
    open({ type: 'text', text: 'x', annotations: { audience: ['user'], priority: 1 } });
    expect([...page.querySelectorAll('[data-claim]')].map((each) => each.textContent)).toEqual([
      'for: user',
      'priority: 1',
    ]);
    expect(find('[data-claim]')?.title).toBe("The server's own claim");
  });

  it('that was cut off with the result says so', () => {
    open('{"type":"text","text":"the first wor');
    expect(find('pre')?.textContent).toBe('the first wor');
    expect(find('[data-cut]')).not.toBeNull();
  });
});

describe('a picture', () => {
  it('is drawn from bytes of the type that they are, and let go with the page', async () => {
    const stub = open(picture, bytes(png));
    const image = (await seen('img')) as HTMLImageElement;
    expect(image.getAttribute('src')).toBe('blob:test/1');
    expect(made[0]?.type).toBe('image/png');
    expect(await made[0]?.text()).toBe('abc');
    expect(image.alt, 'in our words').toBe('Picture from the server, 4 by 3 pixels');
    expect(stub.requests('read_content')).toEqual([{ call: 7, pointer: '/content/0/data' }]);
    close();
    expect(revoked).toEqual(['blob:test/1']);
  });

  it('that is another one than the server says is drawn as what it is, with a warning', async () => {
    open({ ...picture, mimeType: 'image/jpeg' }, bytes(png));
    await seen('img');
    expect(made[0]?.type).toBe('image/png');
    expect((await seen('[data-mismatch]')).textContent.replaceAll(/\s+/g, ' ').trim()).toBe(
      '▲ said to be image/jpeg, but the bytes are image/png',
    );
  });

  it('that is large waits for a click', async () => {
    const stub = open(picture, bytes({ ...png, size: 3 * 1024 * 1024 }));
    const button = await seen('[data-action="load"]');
    expect(button.textContent).toContain('3.1 MB');
    expect(stub.requests('read_content_part')).toEqual([]);
  });

  it('that is an SVG is source, never drawn', async () => {
    const svg = '<svg onload="alert(1)"></svg>';
    open({ type: 'image', mimeType: 'image/svg+xml', data: 'x' }, bytes({ media: 'image/svg+xml' }, svg));
    expect((await seen('pre')).textContent).toBe(svg);
    expect(find('img, svg')).toBeNull();
    expect(made).toEqual([]);
  });

  it('that is none is shown byte by byte', async () => {
    open(picture, bytes({}, '\u0000\u0001\u0002'));
    await seen('[aria-label="Bytes"]');
    expect(words()).toContain('said to be image/png, but the bytes are no such picture');
    expect(find('img')).toBeNull();
  });

  it('that can not be decoded says why', async () => {
    const error: ApiError = {
      code: 'invalid-request',
      title: 'Not base64',
      message: 'there is a character that is none of it',
      hint: null,
      chain: [],
      context: [],
    };
    open(picture, {
      read_content: () => {
        throw error;
      },
    });
    expect((await seen('[data-error]')).textContent).toContain('Not base64');
  });

  it('has its problem told as text', async () => {
    open(picture, bytes({ problem: 'more than 20 megapixels' }));
    expect((await seen('[data-problem]')).textContent).toContain('more than 20 megapixels');
  });

  it('is saved where the person says, and it is said where that was', async () => {
    const stub = open(picture, bytes(png));
    (await seen('[data-action="save"]')).click();
    await vi.waitFor(() => expect(session.notices.list[0]?.text).toBe('Saved to `/home/ada/image.png`'));
    expect(stub.requests('save_content')).toEqual([
      { call: 7, pointer: '/content/0/data', name: 'image.png' },
    ]);
  });
});

describe('a sound', () => {
  it('is loaded when somebody asks for it', async () => {
    const wav = { appearance: 'audio', media: 'audio/wav' } as const;
    open({ type: 'audio', mimeType: 'audio/wav', data: 'YWJj' }, bytes(wav));
    const button = await seen('[data-action="load"]');
    expect(button.textContent).toBe('Load audio (3 B)');
    expect(find('audio')).toBeNull();
    button.click();
    expect((await seen('audio')).getAttribute('src')).toBe('blob:test/1');
    expect(find('audio')?.hasAttribute('autoplay')).toBe(false);
  });
});

describe('a resource', () => {
  it('with text is text, HTML too', () => {
    open({ type: 'resource', resource: { uri: 'file:///a.html', mimeType: 'text/html', text: '<b>x</b>' } });
    expect(find('pre')?.textContent).toBe('<b>x</b>');
    expect(find('b')).toBeNull();
    expect(words()).toContain('file:///a.html');
  });

  it.each([
    [{ type: 'resource', resource: { uri: 'a:b', blob: 'YWJj' } }, '/content/0/resource/blob'],
    [{ uri: 'a:b', blob: 'YWJj' }, '/content/0/blob'],
  ])('with bytes is read from where they stand', async (block, pointer) => {
    const stub = open(block, bytes({}, '\u0000'));
    await seen('[aria-label="Bytes"]');
    expect(stub.requests('read_content')).toEqual([{ call: 7, pointer }]);
  });

  it('that is only a link is read when somebody asks for it, and never followed', async () => {
    open({ type: 'resource_link', uri: 'https://example.com/x', name: 'x', title: 'The x', size: 1200 });
    expect(find('a')).toBeNull();
    expect(words()).toContain('1.2 kB');
    const opened: [string, string][] = [];
    session.resources.open = (server, uri) => {
      opened.push([server, uri]);
      return Promise.resolve();
    };
    await session.calls.open('demo', 'add');
    find('[data-action="read-link"]')!.click();
    expect(opened).toEqual([['demo', 'https://example.com/x']]);
    expect(session.stage.chosen).toEqual({ server: 'demo', tab: 'resources' });
  });
});

describe('other blocks', () => {
  it('of a conversation with a model have their parts', async () => {
    open({ type: 'tool_use', id: 'u1', name: 'get_weather', input: { city: 'Oslo' } });
    expect(words()).toContain('get_weather u1');
    expect(find('[role="tree"]')?.textContent).toContain('Oslo');
    close();
    const block = { type: 'tool_result', toolUseId: 'u1', isError: true, content: [{ ...picture }] };
    const stub = open(block, bytes(png), '/messages/2/content');
    await seen('img');
    expect(stub.requests('read_content')).toEqual([
      { call: 7, pointer: '/messages/2/content/content/0/data' },
    ]);
    expect(find('.badge.err')?.textContent).toContain('tool error');
  });

  it('may come several at once', () => {
    open([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ]);
    expect([...page.querySelectorAll('pre')].map((each) => each.textContent)).toEqual(['one', 'two']);
  });

  it('put into each other without end are JSON from some depth on', () => {
    let block: unknown = { type: 'text', text: 'deep' };
    for (let depth = 0; depth < 60; depth += 1)
      block = { type: 'tool_result', toolUseId: 'x', content: [block] };
    open(block);
    expect(page.querySelectorAll('[data-content="tool_result"]').length).toBeLessThan(10);
    expect(find('[role="tree"]')).not.toBeNull();
  });

  it.each(['{"type":"hologram","layers":3}', '"words"', '{"type":"text"}', '{"type":"image","data":7}'])(
    'that nobody knows are shown as JSON: %s',
    (block) => {
      open(block);
      expect(find('[role="tree"]')).not.toBeNull();
      expect(find('a, img, script')).toBeNull();
    },
  );
});
