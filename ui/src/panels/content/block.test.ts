import { describe, expect, it } from 'vitest';
import { readJson } from '../../json/read';
import { blocksWithin, readBlock, type Block } from './block';

const read = (text: string): Block => readBlock(readJson(text).value);

describe('a block of content', () => {
  it.each([
    ['{"type":"text","text":"hi"}', 'text', null],
    ['{"type":"image","data":"AA==","mimeType":"image/png"}', 'image', '/data'],
    ['{"type":"audio","data":"AA==","mimeType":"audio/wav"}', 'audio', '/data'],
    ['{"type":"resource","resource":{"uri":"a:b","text":"x"}}', 'resource', null],
    ['{"type":"resource","resource":{"uri":"a:b","blob":"AA=="}}', 'resource', '/resource/blob'],
    ['{"type":"resource_link","uri":"a:b","name":"b"}', 'link', null],
    ['{"type":"tool_use","id":"1","name":"add","input":{}}', 'tool-use', null],
    ['{"type":"tool_result","toolUseId":"1","content":[]}', 'tool-result', null],
    ['{"uri":"a:b","text":"x"}', 'resource', null],
    ['{"uri":"a:b","blob":"AA=="}', 'resource', '/blob'],
    ['[{"type":"text","text":"hi"}]', 'list', null],
  ] as const)('%s is %s, with bytes at %s', (text, kind, base64) => {
    expect(read(text)).toMatchObject({ kind, base64 });
  });

  it.each([
    '{"type":"video","data":"AA=="}',
    '{"type":"text"}',
    '{"type":"text","text":5}',
    '{"type":"image","data":null}',
    '{"type":"resource","resource":"x"}',
    '{"type":"resource_link"}',
    '{"type":"__proto__"}',
    '{"type":"constructor"}',
    '{"type":7}',
    '"just words"',
    'null',
    '[]',
    '',
  ])('%s is nothing we know, and is shown as it is', (text) => {
    expect(read(text).kind).toBe('unknown');
  });

  it('that was cut off keeps what is there, whatever the cut went through', () => {
    for (const [text, shown] of [
      ['{"type":"text","text":"one\\ntw', 'one\ntw'],
      ['{"type":"text","text":"one\\', 'one'],
      ['{"type":"text","text":"one\\u00', 'one'],
      ['{"type":"text","text":"one\\ud83d\\ude', 'one\ud83d'],
    ] as const)
      expect(read(text).text, text).toEqual({ text: shown, cut: true });
    expect(read('{"type":"image","mimeType":"image/png","data":"iVBOR').base64).toBe('/data');
  });

  it('has what the server says of whom it is for, of any type', () => {
    expect(
      read(
        '{"type":"text","text":"","annotations":{"audience":["user","assistant"],"priority":0.90,"lastModified":"2025"}}',
      ).claims,
    ).toEqual([
      { name: 'for', value: 'user, assistant' },
      { name: 'priority', value: '0.90' },
      { name: 'last modified', value: '2025' },
    ]);
    expect(read('{"type":"text","text":"","annotations":{"audience":{"a":1},"priority":[]}}').claims).toEqual(
      [],
    );
  });

  it('may have others within it, each with its pointer', () => {
    const pointers = (text: string): string[] =>
      blocksWithin(readJson(text).value, '/p').map(({ pointer }) => pointer);
    expect(pointers('[1,2]')).toEqual(['/p/0', '/p/1']);
    expect(pointers('{"content":[1,2]}')).toEqual(['/p/content/0', '/p/content/1']);
    expect(pointers('{"content":{"type":"text"}}')).toEqual(['/p/content']);
  });
});
