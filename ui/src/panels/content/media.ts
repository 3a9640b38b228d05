import type { Content } from '../../backend/bindings';

/** The pictures that are drawn, by what their bytes say they are; an SVG is a document with powers of its own. */
const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** The media type that a page may draw or play the bytes as; none where they are shown as bytes. */
export function playable({ appearance, media }: Content): string | null {
  if (media === null) return null;
  if (appearance === 'image') return pictures.includes(media) ? media : null;
  // A film of which only the sound is played is a sound.
  const sound = (synonyms[media] ?? media).replace(/^video\//, 'audio/');
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
  const said = plain(claimed);
  if (media !== null) return same(said, plain(media)) ? null : `the bytes are \`${media}\``;
  // Few media types have a signature; these have, so bytes without one are none of them.
  return pictures.includes(synonyms[said] ?? said) ? 'the bytes are no such picture' : null;
}

const synonyms: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'audio/mp3': 'audio/mpeg',
  'audio/x-mp3': 'audio/mpeg',
  'audio/x-mpeg': 'audio/mpeg',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-flac': 'audio/flac',
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'audio/aiff': 'audio/x-aiff',
  'application/ogg': 'audio/ogg',
  'application/x-gzip': 'application/gzip',
  'application/x-zip-compressed': 'application/zip',
};

function plain(media: string): string {
  return (media.split(';')[0] ?? '').trim().toLowerCase();
}

function same(said: string, found: string): boolean {
  if (said === 'application/octet-stream') return true;
  const [one, other] = [synonyms[said] ?? said, synonyms[found] ?? found];
  if (one === other) return true;
  // Many formats are a zip with a purpose, many texts are XML, and a container may hold a film or only its sound.
  const zip = 'application/zip';
  if ((one === zip || other === zip) && [one, other].every((each) => each.startsWith('application/')))
    return true;
  if (other === 'text/xml') return one.endsWith('xml');
  return one.replace(/^audio\//, 'video/') === other.replace(/^audio\//, 'video/');
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

const endings: Record<string, string> = {
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
};

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
  const ending = endings[synonyms[plain(media ?? '')] ?? plain(media ?? '')];
  if (/\.[A-Za-z0-9]{1,8}$/.test(base)) return base;
  return `${base === '' ? what : base}.${ending ?? 'bin'}`;
}
