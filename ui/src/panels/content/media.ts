import type { Content } from '../../backend/bindings';

/** The pictures that are drawn, by what their bytes say they are; an SVG is a document with powers of its own. */
const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** The media type that a page may draw or play the bytes as; none where they are shown as bytes. */
export function playable({ appearance, media }: Content): string | null {
  if (media === null) return null;
  if (appearance === 'image') return pictures.includes(media) ? media : null;
  // A film of which only the sound is played is a sound.
  const sound = (synonyms.get(media) ?? media).replace(/^video\//, 'audio/');
  return appearance === 'audio' && /^audio\/[a-z0-9.+-]+$/.test(sound) ? sound : null;
}

/** Above these nothing is drawn unless somebody asks for it. */
const mostBytes = 2 * 1024 * 1024;
const mostPixels = 20_000_000;

export function drawnAtOnce({ size, width, height }: Content): boolean {
  return size <= mostBytes && (width ?? 0) * (height ?? 0) <= mostPixels;
}

/** What to say where the bytes are not what the server says they are; nothing where they may well be. */
export function mismatch(claimed: string | null, { media }: Content): string | null {
  if (claimed === null) return null;
  const said = known(claimed);
  if (media !== null) return same(said, known(media)) ? null : `the bytes are \`${media}\``;
  // Few media types have a signature; these have, so bytes without one are none of them.
  return pictures.includes(said) ? 'the bytes are no such picture' : null;
}

/** Names of the same thing, what it is called here first. */
const synonyms = new Map(
  [
    'image/jpeg image/jpg image/pjpeg',
    'image/png image/x-png image/apng',
    'image/heif image/heic image/heif-sequence image/heic-sequence',
    'image/vnd.microsoft.icon image/x-icon image/ico image/icon',
    'image/bmp image/x-bmp image/x-ms-bmp',
    'image/tiff image/tif image/x-tiff',
    'audio/mpeg audio/mp3 audio/mpeg3 audio/x-mp3 audio/x-mpeg audio/x-mpeg-3',
    'audio/wav audio/wave audio/x-wav audio/vnd.wave',
    'audio/flac audio/x-flac',
    'audio/mp4 audio/m4a audio/x-m4a video/x-m4v',
    'audio/aac audio/aacp audio/x-aac',
    'audio/ogg audio/opus audio/vorbis application/ogg',
    'audio/x-aiff audio/aiff',
    'audio/midi audio/mid audio/x-midi',
    'video/x-msvideo video/avi video/msvideo',
    'text/x-shellscript text/x-sh application/x-sh application/x-shellscript',
    'application/gzip application/x-gzip',
    'application/zip application/x-zip-compressed',
    'application/x-bzip2 application/bzip2 application/x-bzip',
    'application/x-xz application/xz',
    'application/zstd application/x-zstd',
    'application/vnd.rar application/x-rar application/x-rar-compressed',
    'application/rtf text/rtf',
    'application/vnd.sqlite3 application/x-sqlite3',
    'application/font-woff font/woff font/woff2',
    'application/font-sfnt font/sfnt font/ttf font/otf font/collection',
  ].flatMap((line) => {
    const names = line.split(' ');
    return names.map((name) => [name, names[0] ?? name] as const);
  }),
);

/** What a media type is called here, whoever wrote it how. */
function known(media: string): string {
  const name = plain(media);
  return synonyms.get(name) ?? name;
}

function plain(media: string): string {
  return (media.split(';')[0] ?? '').trim().toLowerCase();
}

function same(said: string, found: string): boolean {
  if (said === found || said === 'application/octet-stream') return true;
  // Many formats are a zip with a purpose, many texts are XML, and a container may hold a film or only its sound.
  const zip = 'application/zip';
  if ((said === zip || found === zip) && [said, found].every((each) => each.startsWith('application/')))
    return true;
  if (found === 'text/xml') return said.endsWith('xml');
  if (found === 'text/html') return said === 'application/xhtml+xml';
  return said.replace(/^audio\//, 'video/') === found.replace(/^audio\//, 'video/');
}

/** Whether bytes are best read as text, by what the server says of them. */
export function isSource(claimed: string | null): boolean {
  const media = plain(claimed ?? '');
  return (
    media.startsWith('text/') ||
    /[+/](?:xml|json|yaml|toml|javascript|ecmascript)$/.test(media) ||
    media === 'application/x-sh'
  );
}

/** The bytes as text, where they are nothing else; a part that was cut may end within a character. */
export function asText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

const endings = new Map(
  Object.entries({
    'image/png': 'png',
    'image/jpeg': 'jpg',
    'image/gif': 'gif',
    'image/webp': 'webp',
    'image/svg+xml': 'svg',
    'audio/mpeg': 'mp3',
    'audio/wav': 'wav',
    'audio/ogg': 'ogg',
    'audio/flac': 'flac',
    'audio/mp4': 'm4a',
    'audio/aac': 'aac',
    'audio/webm': 'webm',
    'application/pdf': 'pdf',
    'application/zip': 'zip',
    'application/json': 'json',
    'text/plain': 'txt',
    'text/html': 'html',
  }),
);

/** What a file could be called: the end of its address in letters that every system takes, and an ending that fits. */
export function fileName(what: string, uri: string | null, media: string | null): string {
  const last =
    uri
      ?.split(/[?#]/)[0]
      ?.split(/[/\\:]/)
      .findLast(Boolean) ?? '';
  const base = last
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(-80);
  const ending = endings.get(known(media ?? ''));
  if (/\.[A-Za-z0-9]{1,8}$/.test(base)) return base;
  return `${base === '' ? what : base}.${ending ?? 'bin'}`;
}
