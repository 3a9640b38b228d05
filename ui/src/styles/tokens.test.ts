import { describe, expect, it } from 'vitest';
import css from './tokens.css?raw';

const [lightText = '', darkText = ''] = css.split('@media');

function tokens(text: string): Map<string, string> {
  return new Map([...text.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map((match) => [match[1]!, match[2]!]));
}

function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(one: string, other: string): number {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high! + 0.05) / (low! + 0.05);
}

const surfaces = ['bg', 'panel', 'sunken', 'sel', 'hover', 'stripe'];
const words = ['text', 'dim', 'faint', 'accent', 'ok', 'warn', 'err', 'ask', 'str', 'num', 'key'];
const own = ['ok', 'warn', 'err', 'ask', 'accent'];

describe.each([
  ['light', tokens(lightText)],
  ['dark', tokens(darkText)],
])('%s tokens', (_, colours) => {
  it.each(words)('--%s can be read on every surface', (word) => {
    for (const surface of surfaces) {
      const ratio = contrast(colours.get(word)!, colours.get(surface)!);
      expect(ratio, `--${word} on --${surface}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each(own)('--%s can be read on its own background, and so can plain text', (word) => {
    const background = colours.get(`${word}-bg`)!;
    for (const text of [word, 'text', 'dim']) {
      expect(contrast(colours.get(text)!, background), `--${text} on --${word}-bg`).toBeGreaterThanOrEqual(
        4.5,
      );
    }
  });

  it('controls have an outline of at least 3 : 1', () => {
    expect(contrast(colours.get('control-line')!, colours.get('panel')!)).toBeGreaterThanOrEqual(3);
  });
});
