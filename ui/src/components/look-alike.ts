/** What makes a name pass for another one: a word for it, and the reason. */
export type LookAlike = { word: string; reason: string };

/**
 * Whether the letters of a name are of several scripts, or only look like those of ASCII. Nothing for a name that is
 * written in one script as people write it, whichever that is.
 */
export function lookAlike(name: string): LookAlike | null {
  const letters = [...name].filter((char) => /\p{L}|\p{Nl}/u.test(char));
  const foreign = letters.filter((char) => char > '\x7f');
  if (foreign.length === 0) return null;
  const found = [...new Set(letters.map(scriptOf))].filter((script) => script !== 'any');
  if (found.length > 1)
    return { word: 'mixed scripts', reason: `Letters of several scripts: ${found.join(', ')}` };
  const posing = foreign.filter(looksLikeAscii);
  // One such letter disguises a name in Latin. Other scripts have some of their own, but rarely a name of nothing else.
  if (posing.length < (found[0] === 'Latin' ? 1 : letters.length)) return null;
  const codes = [...new Set(posing)].slice(0, 5).map((char) => char.codePointAt(0) ?? 0);
  const told = codes.map((code) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`).join(' ');
  return { word: 'look-alike', reason: `Letters that look like ASCII, and are not: ${told}` };
}

function scriptOf(letter: string): string {
  return scripts.find(([, pattern]) => pattern.test(letter))?.[0] ?? 'another';
}

const scripts: [name: string, pattern: RegExp][] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Hebrew', /\p{Script=Hebrew}/u],
  ['Arabic', /\p{Script=Arabic}/u],
  // These are written together.
  ['East Asian', /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u],
  ['any', /\p{Script=Common}|\p{Script=Inherited}/u],
];

/** Those that are ASCII in another width or style, and those that most fonts draw like it. */
function looksLikeAscii(letter: string): boolean {
  return /^[A-Za-z]+$/.test(letter.normalize('NFKC')) || drawnAlike.includes(letter);
}

const drawnAlike = [
  'ıɑɡɩʟ', // Latin itself
  'аАВсСԁеЕһНіІјЈКӏМоОрРԛѕЅТѵԝхХуУ', // Cyrillic
  'αΑΒΕΖΗιΙκΚΜνΝοΟρΡτΤυΥχΧ', // Greek
  'ցհոօքՏսՕ', // Armenian
].join('');
