import { describe, expect, it } from 'vitest';
import type { Content } from '../../backend/bindings';
import { asText, drawnAtOnce, fileName, isSource, mismatch, playable } from './media';

const content = (part: Partial<Content>): Content => ({
  size: 100,
  media: 'image/png',
  width: 10,
  height: 10,
  appearance: 'image',
  problem: null,
  ...part,
});

describe('bytes of a server', () => {
  it.each([
    ['image', 'image/png', 'image/png'],
    ['image', 'image/svg+xml', null],
    ['image', 'text/html', null],
    ['image', null, null],
    ['audio', 'audio/wav', 'audio/wav'],
    ['audio', 'audio/x-wav', 'audio/wav'],
    ['audio', 'video/ogg', 'audio/ogg'],
    ['audio', 'text/html', null],
    ['audio', 'audio/wav;x="<b>"', null],
    ['bytes', 'image/png', null],
  ] as const)('that look like %s and are %s are drawn as %s', (appearance, media, as) => {
    expect(playable(content({ appearance, media }))).toBe(as);
  });

  it('are drawn by themselves only while they are small, decoded too', () => {
    expect(drawnAtOnce(content({ size: 2 * 1024 * 1024 }))).toBe(true);
    expect(drawnAtOnce(content({ size: 2 * 1024 * 1024 + 1 }))).toBe(false);
    expect(drawnAtOnce(content({ width: 30_000, height: 30_000 })), 'a bomb').toBe(false);
  });

  it.each([
    ['image/png', 'image/png', null],
    ['IMAGE/JPG; q=1', 'image/jpeg', null],
    ['audio/x-wav', 'audio/wav', null],
    ['audio/wave', 'audio/x-wav', null],
    ['audio/mp3', 'audio/mpeg', null],
    ['audio/ogg; codecs=opus', 'audio/opus', null],
    ['video/mp4', 'video/x-m4v', null],
    ['image/heic', 'image/heif', null],
    ['image/x-icon', 'image/vnd.microsoft.icon', null],
    ['image/apng', 'image/png', null],
    ['application/xml', 'text/xml', null],
    ['application/xhtml+xml', 'text/html', null],
    ['application/xhtml+xml', 'text/xml', null],
    ['application/x-sh', 'text/x-shellscript', null],
    ['text/rtf', 'application/rtf', null],
    ['font/ttf', 'application/font-sfnt', null],
    ['image/heic', 'image/avif', 'the bytes are `image/avif`'],
    ['image/jpg', null, 'the bytes are no such picture'],
    ['toString', 'image/png', 'the bytes are `image/png`'],
    ['image/png', 'image/jpeg', 'the bytes are `image/jpeg`'],
    ['text/plain', 'application/pdf', 'the bytes are `application/pdf`'],
    ['image/png', null, 'the bytes are no such picture'],
    ['text/csv', null, null],
    ['application/octet-stream', 'image/png', null],
    ['application/vnd.oasis.opendocument.text', 'application/zip', null],
    ['application/zip', 'application/vnd.oasis.opendocument.text', null],
    ['audio/mp4', 'video/mp4', null],
    ['image/svg+xml', 'text/xml', null],
    ['text/plain', 'text/html', 'the bytes are `text/html`'],
    [null, 'image/png', null],
  ])('said to be %s and found to be %s: %s', (claimed, media, told) => {
    expect(mismatch(claimed, content({ media }))).toBe(told);
  });

  it.each(['text/html', 'image/svg+xml', 'application/json', 'TEXT/CSV; charset=utf-8'])(
    'called %s are source to be read',
    (claimed) => expect(isSource(claimed)).toBe(true),
  );

  it('are text only where every byte is', () => {
    expect(asText(new TextEncoder().encode('<svg/>'))).toBe('<svg/>');
    expect(asText(new TextEncoder().encode('naïve').slice(0, 3)), 'cut within a letter').toBe('na');
    expect(asText(new Uint8Array([0x89, 0x50]))).toBeNull();
    expect(asText(new Uint8Array([65, 0, 66]))).toBeNull();
  });

  it.each([
    ['file:///srv/report.pdf?x=1', 'application/pdf', 'report.pdf'],
    ['demo://pictures/42', 'image/jpg', '42.jpg'],
    ['file:///a/..%2f..%2fetc', null, '2f..-2fetc.bin'],
    ['C:\\x\\..\\\u202egnp.exe', 'image/png', 'gnp.exe'],
    ['x:/..', 'image/png', 'picture.png'],
    [null, null, 'picture.bin'],
    [null, 'constructor', 'picture.bin'],
  ])('at %s of %s are offered to be saved as %s', (uri, media, name) => {
    expect(fileName('picture', uri, media)).toBe(name);
  });
});
