/** One line of a hex view; a byte that is no printable ASCII is a dot in the text. */
export function hexLine(
  content: Uint8Array,
  line: number,
  perLine: number,
): { offset: string; bytes: string; text: string } {
  const start = line * perLine;
  const part = content.subarray(start, start + perLine);
  const pairs = Array.from(part, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return {
    offset: start.toString(16).padStart(6, '0'),
    bytes: pairs.padEnd(perLine * 3 - 1),
    text: Array.from(part, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join(
      '',
    ),
  };
}
