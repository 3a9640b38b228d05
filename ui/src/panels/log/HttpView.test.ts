import { mount, unmount } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpDetail } from '../../backend/bindings';
import { httpExchange } from '../../model/stub';
import HttpView from './HttpView.svelte';

let close = (): void => undefined;
afterEach(() => close());

function shown(exchanges: HttpDetail[], wanted: number | null = null): HTMLElement {
  const target = document.body.appendChild(document.createElement('div'));
  const view = mount(HttpView, { target, props: { exchanges, wanted } });
  close = () => {
    void unmount(view);
    target.remove();
  };
  return target;
}

const text = (root: HTMLElement, selector: string): string | undefined =>
  root.querySelector(selector)?.textContent?.replaceAll(/\s+/g, ' ').trim();

describe('the HTTP of a row', () => {
  it('has the exchanges in their order, with line, status, headers and bytes', () => {
    const root = shown([
      httpExchange({ number: 4, status: 307 }),
      httpExchange({
        number: 5,
        follows: 4,
        request_headers: [{ name: 'accept', value: 'text/event-stream' }],
        response_headers: [
          { name: 'x-twice', value: 'one' },
          { name: 'x-twice', value: 'two' },
        ],
      }),
    ]);
    const numbers = [...root.querySelectorAll<HTMLElement>('[data-http]')].map(
      (each) => each.dataset['http'],
    );
    expect(numbers).toEqual(['4', '5']);
    expect(text(root, '[data-http="4"] summary')).toBe('POST /mcp ○307 redirect 2.0 ms');
    expect(text(root, '[data-http="5"] [data-headers="request"]')).toBe('accept text/event-stream');
    expect(text(root, '[data-http="5"] [data-headers="response"]')).toBe('x-twice onex-twice two');
    expect(text(root, '[data-http="5"] .facts')).toContain('after the redirect of exchange 4');
  });

  it('says what is still open, and what was never answered', () => {
    const root = shown([httpExchange({ status: null, version: null, after_ms: null })]);
    expect(text(root, 'summary')).toBe('POST /mcp ◐waiting still open');
    expect(text(root, '.headers')).toContain('Response headers not answered yet');
    expect(text(root, '.timing')).toContain('still open');
  });

  it('says so where there is nothing', () => {
    expect(shown([]).textContent).toContain('Nothing is known');
  });

  it('makes text of whatever a server sends, and shows what hides', () => {
    const root = shown([
      httpExchange({
        url: 'https://example.com/<img src=x onerror=alert(1)>',
        problem: 'the server said <script>alert(1)</script>',
        response_headers: [{ name: 'x-greeting', value: 'Hello \u202edlrow <b>you</b>' }],
      }),
    ]);
    expect(root.querySelector('img, script, b[onclick], dd b')).toBeNull();
    expect(text(root, '[data-http-problem]')).toContain('<script>alert(1)</script>');
    expect(text(root, '[data-headers="response"]')).toContain('Hello \\u202edlrow <b>you</b>');
  });

  it('opens of many only the first, the last, the broken and the one that was asked for', () => {
    const many = Array.from({ length: 8 }, (_, place) =>
      httpExchange({ number: place + 1, problem: place === 3 ? 'broke' : null }),
    );
    const open = [...shown(many, 6).querySelectorAll<HTMLElement>('details[open]')];
    expect(open.map((each) => each.dataset['http'])).toEqual(['1', '4', '6', '8']);
  });
});
