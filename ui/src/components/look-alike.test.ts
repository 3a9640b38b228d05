import { describe, expect, it } from 'vitest';
import { lookAlike } from './look-alike';

describe('the letters of a name', () => {
  it.each([
    ['p\u0430y_all', 'Letters of several scripts: Latin, Cyrillic'],
    ['send_\u03bfrder', 'Letters of several scripts: Latin, Greek'],
    ['get_\u5929\u6c17', 'Letters of several scripts: Latin, East Asian'],
    ['\u0441\u03bf', 'Letters of several scripts: Cyrillic, Greek'],
    ['pay_\u0928', 'Letters of several scripts: Latin, another'],
  ])('%s are of several scripts', (name, reason) => {
    expect(lookAlike(name)).toEqual({ word: 'mixed scripts', reason });
  });

  it.each([
    ['all of one script that read as another', '\u0441\u043e\u0440\u0443_2', 'U+0441 U+043E U+0440 U+0443'],
    ['of another width', '\uff50ay', 'U+FF50'],
    ['of another style', '\u{1d429}\u{1d41a}\u{1d432}', 'U+1D429 U+1D41A U+1D432'],
    ['of phonetics', '\u0261et', 'U+0261'],
    ['joined', 'de\ufb01ne', 'U+FB01'],
  ])('%s look like ASCII', (_, name, codes) => {
    const reason = `Letters that look like ASCII, and are not: ${codes}`;
    expect(lookAlike(name)).toEqual({ word: 'look-alike', reason });
  });

  it.each([
    'get_weather',
    '../../etc/passwd',
    '',
    'Ærøskøbing',
    'cafe\u0301',
    'приветствие_2',
    'λόγος',
    '東京タワーを見る',
    '날씨_조회',
    'مرحبا',
    '🚀_launch',
  ])('%j are what they seem', (name) => expect(lookAlike(name)).toBeNull());
});
