import { describe, expect, it } from 'vitest';
import type { Question } from '../../backend/bindings';
import { draftOf } from './draft';

function question(method: string, params: string | null): Question {
  return { number: 1, server: 'demo', method, params, asked: 0, call: null, task: null };
}

describe('the draft of an answer', () => {
  it('has every field of an elicitation, with its default where it has one', () => {
    const schema = {
      properties: {
        name: { type: 'string', default: 'Ada' },
        age: { type: 'integer' },
        happy: { type: 'boolean' },
        size: { type: 'string', enum: ['S', 'M'] },
        tags: { type: 'array' },
      },
    };
    const text = draftOf(question('elicitation/create', JSON.stringify({ requestedSchema: schema })));
    expect(JSON.parse(text)).toEqual({
      action: 'accept',
      content: { name: 'Ada', age: 0, happy: false, size: 'S', tags: [] },
    });
  });

  it('has no content where a page is to be opened', () => {
    const text = draftOf(question('elicitation/create', '{"mode":"url","url":"https://example.com"}'));
    expect(JSON.parse(text)).toEqual({ action: 'accept' });
  });

  it('is made of anything, JSON or not', () => {
    for (const params of [null, 'null', '[]', '{"requestedSchema":3}', 'no JSON'])
      expect(JSON.parse(draftOf(question('elicitation/create', params)))).toEqual({
        action: 'accept',
        content: {},
      });
    expect(JSON.parse(draftOf(question('sampling/createMessage', null)))).toMatchObject({
      role: 'assistant',
    });
  });
});
