import { describe, expect, it } from 'vitest';
import type { Question } from '../backend/bindings';
import { Questions } from './questions.svelte';
import { later, question, Stub, type Answers } from './stub';

async function world(list: Question[], answers: Answers = {}) {
  let listed = list;
  let revision = 0;
  const stub = new Stub({
    list_questions: () => ({ questions: listed }),
    answer_question: () => ({}),
    ...answers,
  });
  const questions = new Questions(stub);
  const put = async (next: Question[]): Promise<void> => {
    listed = next;
    (await questions.prepare((revision += 1)))();
  };
  await put(list);
  return { stub, questions, put };
}

const unknown = { code: 'unknown-question', title: 'Gone', message: 'no question 1', hint: null } as const;

describe('the questions of servers', () => {
  it('that go without an answer of ours are counted as withdrawn until somebody took note', async () => {
    const { questions, put } = await world([question(1), question(2), question(3, { server: 'other' })]);
    await put([question(2), question(3, { server: 'other' })]);
    expect([...questions.withdrawn]).toEqual([['demo', 1]]);
    await put([]);
    expect([...questions.withdrawn]).toEqual([
      ['demo', 2],
      ['other', 1],
    ]);
    questions.takeNote('demo');
    expect([...questions.withdrawn]).toEqual([['other', 1]]);
  });

  it('that were answered were not withdrawn, also when the list is quicker than the acknowledgement', async () => {
    const answered = later<Record<string, never>>();
    const { stub, questions, put } = await world([question(1)], { answer_question: () => answered.promise });
    const answering = questions.answer(question(1), '{"action":"accept"}');
    expect(questions.isAnswered(question(1)), 'there is no other answer now').toBe(true);
    await questions.refuse(question(1));
    expect(stub.requests('answer_question'), 'it is answered once').toHaveLength(1);
    await put([]);
    answered.resolve({});
    await answering;
    expect(questions.withdrawn.size).toBe(0);
    expect(questions.refusal).toBeNull();
    expect(questions.isAnswered(question(1))).toBe(false);
  });

  it('can be answered again after an answer that failed', async () => {
    const { questions } = await world([question(1)], {
      answer_question: () => Promise.reject(unknown),
    });
    await questions.answer(question(1), '{}');
    expect(questions.refusal).toEqual({ server: 'demo', error: unknown });
    expect(questions.isAnswered(question(1))).toBe(false);
  });

  it('are refused in the way of their method, and all of a server at once', async () => {
    const { stub, questions, put } = await world([question(1), question(2)], {
      refuse_questions: () => ({ refused: 2 }),
    });
    await questions.refuse(question(1));
    await questions.refuse(question(3, { method: 'sampling/createMessage' }));
    expect(stub.requests('answer_question')).toEqual([
      { number: 1, result: '{"action":"decline"}', error: null },
      { number: 3, result: null, error: { code: -1, message: 'the person refused', data: null } },
    ]);
    await questions.refuseAll('demo');
    expect(stub.requests('refuse_questions')).toEqual([{ server: 'demo' }]);
    await put([]);
    expect(questions.withdrawn.size, 'the person said no, and nobody withdrew them').toBe(0);
  });

  it('are checked by the core, and can be answered where it has nothing to say', async () => {
    const wrong = { path: '', place: '/a', message: 'must be a number' };
    const { questions } = await world([], {
      check_answer: ({ number }) =>
        number === 1 ? { violations: [wrong], note: null } : Promise.reject(unknown),
    });
    expect(await questions.check(question(1), '{}')).toEqual([[wrong], null]);
    expect(await questions.check(question(2), '{}')).toEqual([[], 'not checked: no question 1']);
  });
});
