import { describe, expect, it } from 'vitest';
import { hexLine } from './hex';

describe('a line of bytes', () => {
  const content = Uint8Array.from([0x7b, 0x22, 0x00, 0xff, 0x41, 0x20, 0x7f, 0x0a, 0x62]);

  it('shows every byte, and a dot for what can not be printed', () => {
    expect(hexLine(content, 0, 8)).toEqual({
      offset: '000000',
      bytes: '7b 22 00 ff 41 20 7f 0a',
      text: '{"..A ..',
    });
  });

  it('keeps the text in its column on a short last line', () => {
    const last = hexLine(content, 1, 8);
    expect(last).toMatchObject({ offset: '000008', text: 'b' });
    expect(last.bytes).toHaveLength(hexLine(content, 0, 8).bytes.length);
  });
});
