/** Bytes that the fake sends as base64: a picture, a sound, and some that are neither. */

/** A picture of colours that run into each other, as an uncompressed PNG. */
export function picture(width: number, height: number): Uint8Array {
  const rows = new Uint8Array(height * (width * 3 + 1));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const at = y * (width * 3 + 1) + 1 + x * 3;
      rows.set([40 + (180 * x) / width, 90 + (120 * y) / height, 200 - (120 * x) / width], at);
    }
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, 2, 0, 0, 0], 8);
  return joined([
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', stored(rows)),
    chunk('IEND', new Uint8Array()),
  ]);
}

/** A short tone, as a WAV file. */
export function tone(samples: number): Uint8Array {
  const whole = new Uint8Array(44 + samples);
  const view = new DataView(whole.buffer);
  whole.set(ascii('RIFF'), 0);
  view.setUint32(4, 36 + samples, true);
  whole.set(ascii('WAVEfmt '), 8);
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 8000, true);
  view.setUint32(28, 8000, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  whole.set(ascii('data'), 36);
  view.setUint32(40, samples, true);
  for (let at = 0; at < samples; at += 1)
    whole[44 + at] = 128 + 60 * Math.sin((at / 8000) * 440 * 2 * Math.PI);
  return whole;
}

export function noise(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => (at * 73 + (at >> 3) * 31) % 256);
}

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

export function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Deflate without compression. */
function stored(data: Uint8Array): Uint8Array {
  const blocks: Uint8Array[] = [new Uint8Array([0x78, 0x01])];
  for (let at = 0; at < data.length; at += 65_535) {
    const part = data.subarray(at, at + 65_535);
    const last = at + 65_535 >= data.length ? 1 : 0;
    const { length } = part;
    blocks.push(new Uint8Array([last, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255]), part);
  }
  let [a, b] = [1, 0];
  for (const byte of data) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return joined([...blocks, new Uint8Array([b >> 8, b & 255, a >> 8, a & 255])]);
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const body = joined([ascii(name), data]);
  const whole = new Uint8Array(body.length + 8);
  const view = new DataView(whole.buffer);
  view.setUint32(0, data.length);
  whole.set(body, 4);
  view.setUint32(whole.length - 4, checksum(body));
  return whole;
}

function checksum(data: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of data) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}

function joined(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
