import { describe, expect, it } from 'vitest';
import { readJson } from '../../json/read';
import { messagesOf, roleMark, transcript } from './messages';

const read = (value: unknown) => readJson(JSON.stringify(value)).value;

describe('the messages of a prompt', () => {
  it('point to their content in the result', () => {
    const messages = messagesOf(
      read({
        messages: [{ role: 'user', content: {} }, { role: 'assistant', content: [{}] }, { role: 'user' }, 7],
      }),
    );
    expect(messages.map(({ role, pointer, content }) => [role, pointer, content?.kind ?? null])).toEqual([
      ['user', '/messages/0/content', 'object'],
      ['assistant', '/messages/1/content', 'array'],
      ['user', '/messages/2/content', null],
      ['', '/messages/3', 'number'],
    ]);
  });

  it('are none where there are none, whatever stands there', () => {
    for (const odd of [null, [], {}, { messages: null }, { messages: { 0: {} } }])
      expect(messagesOf(read(odd))).toEqual([]);
  });

  it('are told apart by word and shape, also with a role that does not exist', () => {
    const marks = ['user', 'assistant', 'system', ''].map(roleMark);
    expect(marks.map((mark) => mark.word)).toEqual(['user', 'assistant', 'system', 'no role']);
    expect(new Set(marks.slice(0, 3).map((mark) => mark.glyph)).size).toBe(3);
    expect(messagesOf(read({ messages: [{ role: 7 }] }))[0]?.role).toBe('7');
  });
});

describe('the transcript of a prompt', () => {
  it('has every message under its role, and says of bytes what they are', () => {
    const text = transcript(
      read({
        messages: [
          { role: 'user', content: { type: 'text', text: 'What is it?\nSay it.' } },
          { role: 'user', content: { type: 'image', mimeType: 'image/png', data: 'AAAA' } },
          { role: 'assistant', content: [{ type: 'text', text: 'A boat' }, { type: 'hologram' }] },
          { role: 'assistant', content: { type: 'resource', resource: { uri: 'file:///a', text: 'notes' } } },
          { role: 'user', content: { type: 'resource_link', uri: 'demo://7' } },
          { role: 'system', content: 'bare' },
          {},
        ],
      }),
    );
    expect(text.split('\n\n')).toEqual([
      'user:\nWhat is it?\nSay it.',
      'user:\n[image, image/png, 3 B]',
      'assistant:\nA boat\n{"type":"hologram"}',
      'assistant:\n[file:///a]\nnotes',
      'user:\n[link: demo://7]',
      'system:\nbare',
      'no role:\n(no content)',
    ]);
  });
});
