import { afterEach, describe, expect, it } from 'vitest';
import { visible } from '../components/untrusted';
import { openEditor, type Editor } from './code-mirror';

let editor: Editor;
let host: HTMLElement;
let said: string;

function open(text: string): void {
  host = document.body.appendChild(document.createElement('div'));
  said = text;
  editor = openEditor(host, { text, label: 'JSON', onchange: (changed) => (said = changed) });
}
const line = (): string => host.shadowRoot!.querySelector('.cm-line')!.textContent;
const tokens = (): string[] =>
  [...host.shadowRoot!.querySelectorAll('.token')].map((token) => token.textContent);

afterEach(() => {
  editor.close();
  host.remove();
});

describe('the JSON editor', () => {
  it('shows every character that hides as the rest of the window does, and keeps it', () => {
    const all = Array.from({ length: 0x110000 }, (_, code) => code);
    const hiding = all
      // Of the long ranges, surrogates and tags, not every one.
      .filter((code) => code < 0xd800 || (code > 0xdfff && code < 0xe0080) || code % 64 === 0)
      .map((code) => String.fromCodePoint(code))
      // Line ends are lines of the editor, and a tab is as wide as it is.
      .filter((char) => visible(char) !== char && !/[\t\n\r]/.test(char));
    expect(hiding.length, 'with the tags').toBeGreaterThan(300);
    for (let from = 0; from < hiding.length; from += 200) {
      const some = hiding.slice(from, from + 200);
      const text = `"${some.join('-')}"`;
      open(text);
      expect(tokens()).toEqual(some.map(visible));
      expect(visible(line()), 'nothing is left that hides').toBe(line());
      editor.replace(`${text} `);
      expect(said, 'the text itself is what it was').toBe(`${text} `);
      editor.close();
      host.remove();
    }
    open('');
  });

  it('shows selectors that carry data, and leaves the one of an emoji', () => {
    open('"❤\ufe0f x\ufe0f\ufe0e"');
    expect(tokens()).toEqual(['\\ufe0f\\ufe0e']);
  });

  it('shows what is typed, too', () => {
    open('"pay"');
    expect(tokens()).toEqual([]);
    editor.replace('"pay\u200bpal\u202e"');
    expect(tokens()).toEqual(['\\u200b', '\\u202e']);
  });

  it.each(['"Ærøskøbing 東京 🚀"', '"\\u202e"'])('leaves %s alone', (text) => {
    open(text);
    expect(tokens()).toEqual([]);
    expect(line()).toBe(text);
  });
});
