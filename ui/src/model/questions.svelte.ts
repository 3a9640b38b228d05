import { apiError, type Backend } from '../backend/backend';
import type { AnswerRequest, ApiError, Call, LinkDetail, Question, Violation } from '../backend/bindings';
import { nothing, type Apply } from './apply';

/** What servers ask of the person, oldest first. */
export class Questions {
  list = $state.raw<Question[]>([]);
  /** Why the last answer could not be given, and to which server. */
  refusal = $state.raw<{ server: string; error: ApiError } | null>(null);
  /** How many questions of a server went away without an answer, until the person has taken note. */
  withdrawn = $state.raw<ReadonlyMap<string, number>>(new Map());
  private revision = 0;
  /** What was answered from here and is still listed, by number: when one of these goes, nobody withdrew it. */
  private answered = $state.raw<ReadonlySet<number>>(new Set());

  constructor(private readonly backend: Backend) {}

  of(server: string | null): Question[] {
    return this.list.filter((question) => question.server === server);
  }

  /** Whether its answer is on its way: there is no other one then. */
  isAnswered({ number }: Question): boolean {
    return this.answered.has(number);
  }

  async prepare(revision: number): Promise<Apply> {
    if (revision === this.revision) return nothing;
    const { questions } = await this.backend.call('list_questions', {});
    return () => {
      this.revision = revision;
      this.put(questions);
    };
  }

  /** Answers with the text of a result. */
  async answer(question: Question, result: string): Promise<void> {
    await this.reply(question, { number: question.number, result, error: null });
  }

  /** Says no, in the way that the method has for it. */
  async refuse(question: Question): Promise<void> {
    if (question.method === 'elicitation/create') await this.answer(question, '{"action":"decline"}');
    else
      await this.reply(question, {
        number: question.number,
        result: null,
        error: { code: -1, message: 'the person refused', data: null },
      });
  }

  /** Says no to all that a server asks now. */
  async refuseAll(server: string): Promise<void> {
    await this.settle(server, this.of(server), () => this.backend.call('refuse_questions', { server }));
  }

  /** What the schema of a question finds wrong with an answer, and why nothing was looked at, if nothing was. */
  async check({ number }: Question, content: string): Promise<[Violation[], string | null]> {
    try {
      const found = await this.backend.call('check_answer', { number, content });
      return [found.violations, found.note];
    } catch (thrown) {
      // It can still be sent; the server will say what is the matter.
      return [[], `not checked: ${apiError(thrown).message}`];
    }
  }

  /** What is to be known of the page that a question wants visited; nothing is fetched for it. */
  lookAtLink({ number }: Question): Promise<LinkDetail> {
    return this.backend.call('look_at_link', { number });
  }

  async openLink({ number }: Question): Promise<void> {
    await this.backend.call('open_link', { number });
  }

  /** The call during which a question was asked, if it is still known. */
  async callOf({ call }: Question): Promise<Call | null> {
    if (call === null) return null;
    try {
      return await this.backend.call('read_call', { call });
    } catch {
      return null;
    }
  }

  /** The person has read that questions were withdrawn. */
  takeNote(server: string): void {
    this.withdrawn = new Map([...this.withdrawn].filter(([each]) => each !== server));
  }

  private put(questions: Question[]): void {
    const there = new Set(questions.map(({ number }) => number));
    const gone = this.list.filter(({ number }) => !there.has(number));
    const unanswered = gone.filter((question) => !this.isAnswered(question));
    if (gone.length > unanswered.length) this.mark(gone, false);
    if (unanswered.length > 0) {
      const withdrawn = new Map(this.withdrawn);
      for (const { server } of unanswered) withdrawn.set(server, (withdrawn.get(server) ?? 0) + 1);
      this.withdrawn = withdrawn;
    }
    this.list = questions;
  }

  private async reply(question: Question, request: AnswerRequest): Promise<void> {
    if (this.isAnswered(question)) return;
    await this.settle(question.server, [question], () => this.backend.call('answer_question', request));
  }

  /** That a question is gone may be told before its answer is acknowledged. */
  private async settle(server: string, questions: Question[], deed: () => Promise<unknown>): Promise<void> {
    this.refusal = null;
    this.mark(questions, true);
    try {
      await deed();
    } catch (thrown) {
      this.refusal = { server, error: apiError(thrown) };
      // What was not answered after all can still be withdrawn.
      this.mark(questions, false);
    }
  }

  private mark(questions: Question[], answered: boolean): void {
    const marked = new Set(this.answered);
    for (const { number } of questions) {
      if (answered) marked.add(number);
      else marked.delete(number);
    }
    this.answered = marked;
  }
}
