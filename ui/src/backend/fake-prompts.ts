import type { Answers, Part, Whole } from './fake-parts';

type Named = 'list_prompts' | 'describe_prompt' | 'complete_argument' | 'list_tasks' | 'cancel_task';

/** Prompts, completions and tasks of the fake. */
export class FakePrompts {
  constructor(private readonly whole: Whole) {}

  readonly answers: Answers = {};

  commands(): Part<Named> {
    const { fail } = this.whole;
    return {
      list_prompts: () => ({ prompts: [], complete: true, problem: null }),
      describe_prompt: ({ index }) => fail('unknown-entry', `no prompt ${index}`),
      complete_argument: () => ({ values: [], total: null, has_more: false }),
      list_tasks: () => ({ tasks: [], problem: null }),
      cancel_task: () => ({}),
    };
  }
}
