import type { Answers, Part, Whole } from './fake-parts';

type Named =
  | 'list_resources'
  | 'describe_resource'
  | 'list_templates'
  | 'describe_template'
  | 'expand_template'
  | 'subscribe_resource'
  | 'unsubscribe_resource'
  | 'list_subscriptions';

/** Resources of the fake. */
export class FakeResources {
  constructor(private readonly whole: Whole) {}

  readonly answers: Answers = {};

  commands(): Part<Named> {
    const { fail } = this.whole;
    return {
      list_resources: () => ({ resources: [], complete: true, problem: null }),
      describe_resource: ({ index }) => fail('unknown-entry', `no resource ${index}`),
      list_templates: () => ({ templates: [], complete: true, problem: null }),
      describe_template: ({ index }) => fail('unknown-entry', `no template ${index}`),
      expand_template: ({ template }) => ({ uri: template }),
      subscribe_resource: () => ({}),
      unsubscribe_resource: () => ({}),
      list_subscriptions: () => ({ subscriptions: [], unasked: 0 }),
    };
  }
}
