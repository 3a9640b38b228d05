import type { Part, Whole } from './fake-parts';

type Named =
  | 'describe_change'
  | 'accept_changes'
  | 'pin_tool'
  | 'read_content'
  | 'read_content_part'
  | 'save_content'
  | 'repeat_tool'
  | 'read_repeat'
  | 'cancel_repeat'
  | 'list_saved_calls'
  | 'save_call'
  | 'remove_saved_call'
  | 'recall_arguments'
  | 'list_variables'
  | 'set_variable';

/** What the fake keeps of tools and calls. */
export class FakeBook {
  constructor(private readonly whole: Whole) {}

  commands(): Part<Named> {
    const { fail } = this.whole;
    return {
      describe_change: () => ({
        before: null,
        after: null,
        before_sha256: null,
        after_sha256: null,
        seen: null,
      }),
      accept_changes: () => ({}),
      pin_tool: () => ({}),
      read_content: () => fail('unknown-call', 'no such call'),
      read_content_part: ({ offset }) => ({ offset, base64: '', size: 0 }),
      save_content: () => ({ path: null }),
      repeat_tool: () => fail('unknown-tool', 'no such tool'),
      read_repeat: () => fail('unknown-call', 'no such run'),
      cancel_repeat: () => ({}),
      list_saved_calls: () => ({ calls: [] }),
      save_call: (request) => ({ id: 1, ...request }),
      remove_saved_call: () => ({}),
      recall_arguments: () => ({ arguments: null }),
      list_variables: () => ({ variables: [] }),
      set_variable: () => ({ variables: [] }),
    };
  }
}
