import { describe, expect, it } from 'vitest';
import { cutMiddle } from './middle';

describe('a text cut in the middle', () => {
  it('is left alone where it fits', () => {
    expect(cutMiddle('https://example.com/mcp', 23)).toEqual(['https://example.com/mcp', '', '']);
  });

  it('keeps its start and its end, and loses nothing', () => {
    const text = `https://example.com/${'deep/'.repeat(40)}mcp?key=value`;
    const [head, middle, tail] = cutMiddle(text, 41);
    expect(head.length + tail.length, 'the sign for what is left out takes the last place').toBe(40);
    expect(head.startsWith('https://example.com/')).toBe(true);
    expect(tail.endsWith('mcp?key=value')).toBe(true);
    expect(head + middle + tail, 'what is copied is the whole').toBe(text);
  });

  it('never cuts a character in two', () => {
    const [head, middle, tail] = cutMiddle('\u{1f600}'.repeat(20), 9);
    for (const part of [head, middle, tail]) expect(() => encodeURIComponent(part)).not.toThrow();
  });
});
