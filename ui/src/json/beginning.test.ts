import { describe, expect, it } from 'vitest';
import { beginningOf, means } from './beginning';

const mark = '… (1004 more bytes are in the log)';

describe('a text that the core cut', () => {
  it('is told from a whole one by its end', () => {
    expect(beginningOf(`{"a":"b${mark}`)).toEqual({ text: '{"a":"b', left: 1004 });
    expect(beginningOf('{"a":"b"}')).toBeNull();
    expect(beginningOf(`{"a":"b${mark}"}`), 'the mark is part of the text').toBeNull();
  });

  it('is meant by whoever names the whole', () => {
    expect(means('abc', 'abc')).toBe(true);
    expect(means(`abc${mark}`, 'abcdef')).toBe(true);
    expect(means('abc', 'abcdef')).toBe(false);
    expect(means(`abc${mark}`, 'xbcdef')).toBe(false);
    expect(means(`abc${mark}`, `abc${mark}`), 'a name that only ends like it').toBe(true);
  });
});
