import { apiError, type Backend } from '../backend/backend';
import type { AnswerRequest, ApiError, Question } from '../backend/bindings';
import { nothing, type Apply } from './apply';

/** What servers ask of the person, oldest first. */
export class Questions {
  list = $state.raw<Question[]>([]);
  /** Why the last answer could not be given. */
  refusal = $state.raw<ApiError | null>(null);
  private revision = 0;

  constructor(private readonly backend: Backend) {}

  of(server: string | null): Question[] {
    return this.list.filter((question) => question.server === server);
  }

  async prepare(revision: number): Promise<Apply> {
    if (revision === this.revision) return nothing;
    const { questions } = await this.backend.call('list_questions', {});
    return () => {
      this.revision = revision;
      this.list = questions;
    };
  }

  /** Answers with the text of a result. */
  async answer(question: Question, result: string): Promise<void> {
    await this.reply({ number: question.number, result, error: null });
  }

  /** Says no, in the way that the method has for it. */
  async refuse(question: Question): Promise<void> {
    if (question.method === 'elicitation/create') await this.answer(question, '{"action":"decline"}');
    else
      await this.reply({
        number: question.number,
        result: null,
        error: { code: -1, message: 'the person refused', data: null },
      });
  }

  private async reply(request: AnswerRequest): Promise<void> {
    this.refusal = null;
    try {
      await this.backend.call('answer_question', request);
    } catch (thrown) {
      this.refusal = apiError(thrown);
    }
  }
}
