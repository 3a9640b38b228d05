import { describe, expect, it } from 'vitest';
import { Questions } from '../../model/questions.svelte';
import { question, Stub } from '../../model/stub';
import { text } from '../../forms/value';
import { Answer, Answers } from './answer.svelte';

function answer(properties: object, required: string[] = []): Answer {
  const requestedSchema = { type: 'object', properties, required };
  return new Answer(question(1, { params: JSON.stringify({ message: 'm', requestedSchema }) }));
}

describe('an answer', () => {
  it('begins with every default, of optional fields too, in the order of the form', () => {
    const begun = answer(
      {
        name: { type: 'string', default: 'Ada' },
        age: { type: 'integer', default: 1.0 },
        happy: { type: 'boolean', default: false },
        free: { type: 'string' },
        size: { type: 'string', enum: ['S', 'M'], default: 'M' },
        tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['b'] },
      },
      ['free', 'age'],
    );
    expect(begun.result).toBe(
      '{"action":"accept","content":{"name":"Ada","age":1,"happy":false,"size":"M","tags":["b"]}}',
    );
    expect(begun.review, 'what is shown is what is sent').toBe(begun.result);
  });

  it('has all defaults, however many there are', () => {
    const fields = Array.from({ length: 1000 }, (_, at) => [`f${at}`, { type: 'integer', default: at }]);
    const begun = answer(Object.fromEntries(fields));
    const { content } = JSON.parse(begun.result ?? '') as { content: object };
    expect(Object.keys(content)).toHaveLength(1000);
  });

  it('keeps numbers as they are written', () => {
    const params = '{"message":"","requestedSchema":{"properties":{"n":{"type":"number","default":1.50e3}}}}';
    expect(new Answer(question(1, { params })).result).toBe('{"action":"accept","content":{"n":1.50e3}}');
  });

  it('covers passwords where it is shown, and nothing else', () => {
    const begun = answer({ user: { type: 'string' }, key: { type: 'string', format: 'password' } });
    begun.draft?.change(['user'], text('ada'));
    begun.draft?.change(['key'], text('hunter2'));
    expect(begun.result).toContain('hunter2');
    expect(begun.review).toBe('{"action":"accept","content":{"user":"ada","key":"••••"}}');
  });

  it('to a page has no content', () => {
    const params = '{"mode":"url","url":"https://a.test/"}';
    expect(new Answer(question(1, { params })).result).toBe('{"action":"accept"}');
  });

  it('to a part of a question is nothing before somebody has written it', () => {
    const begun = new Answer(question(1, { clipped: true, params: '{"message":"m","requestedSc' }));
    expect(begun.draft, 'there is no form').toBeNull();
    expect(begun.result).toBeNull();
    expect(begun.problem).toContain('not JSON yet');
    begun.text = '{"action":"accept","content":{"n":1.0}}';
    expect([begun.result, begun.problem]).toEqual([begun.text, null]);
    begun.text = '[]';
    expect([begun.result, begun.problem]).toEqual([null, 'The answer must be a JSON object']);
  });

  it('to a sampling request has the shape of a result', () => {
    const begun = new Answer(question(1, { method: 'sampling/createMessage' }));
    expect(JSON.parse(begun.result ?? '')).toMatchObject({ role: 'assistant' });
  });

  it('says why there is nothing to send', () => {
    const begun = answer({ n: { type: 'number' } });
    begun.draft?.change(['n'], { kind: 'raw', text: 'abc', reason: 'a number, as typed' });
    expect([begun.result, begun.problem]).toEqual([null, 'A field has something in it that is no value']);
    if (begun.draft) begun.draft.mode = 'json';
    begun.draft?.setText('{');
    expect(begun.problem).toContain('line 1');
  });

  it('is checked once for what it is', async () => {
    const wrong = { path: '', place: '/n', message: 'too small' };
    const stub = new Stub({ check_answer: () => ({ violations: [wrong], note: null }) });
    const begun = answer({ n: { type: 'number', default: 0 } });
    const questions = new Questions(stub);
    expect(await begun.check(questions)).toBe(true);
    expect(begun.wrong).toBe(1);
    expect(await begun.check(questions)).toBe(true);
    expect(stub.requests('check_answer')).toEqual([{ number: 1, content: '{"n":0}' }]);
    const checking = (begun.draft?.change(['n'], { kind: 'number', text: '1' }), begun.check(questions));
    begun.draft?.change(['n'], { kind: 'number', text: '2' });
    expect(await checking, 'it is another one by now').toBe(false);
  });
});

describe('answers that were begun', () => {
  it('are kept for as long as their questions wait', () => {
    const answers = new Answers();
    const [first, second] = [question(1), question(2)];
    const begun = answers.of(first);
    expect(answers.of({ ...first })).toBe(begun);
    expect(answers.of(second)).not.toBe(begun);
    answers.keep([first]);
    expect(answers.of(first)).toBe(begun);
    answers.keep([]);
    expect(answers.of(first)).not.toBe(begun);
  });
});
