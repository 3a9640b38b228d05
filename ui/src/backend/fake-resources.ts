import type { ResourceDetail, Subscription, TemplateDetail } from './bindings';
import type { Answers, Part, Whole } from './fake-parts';
import {
  contentsFor,
  demoResources,
  demoTemplates,
  expand,
  filesystemResources,
  generatedResources,
  variablesOf,
  type FakeEntry,
} from './fake-resource-entries';

type Named =
  | 'list_resources'
  | 'describe_resource'
  | 'list_templates'
  | 'describe_template'
  | 'expand_template'
  | 'subscribe_resource'
  | 'unsubscribe_resource'
  | 'list_subscriptions';

/** Resources of the fake. The address may ask for many: `?resources=3000`. */
export class FakeResources {
  private readonly many = Number(new URLSearchParams(location.search).get('resources') ?? 0);
  private readonly subscriptions = new Map<string, Subscription>();
  private readonly timers = new Map<string, ReturnType<typeof setInterval>>();
  /** How often each address changed, for what is read of it. */
  private readonly changes = new Map<string, number>();
  private unasked = 0;

  constructor(private readonly whole: Whole) {}

  readonly answers: Answers = {
    'resources/read': ({ uri }) => contentsFor(String(uri), this.changes.get(String(uri)) ?? 0),
  };

  commands(): Part<Named> {
    const { fail } = this.whole;
    return {
      list_resources: ({ server }) => ({
        resources: this.resources(server).map((each) => each.summary),
        complete: true,
        problem:
          server === 'filesystem'
            ? 'the server ended the listing with page 3: `nextCursor` came twice'
            : null,
      }),
      describe_resource: ({ server, index }) =>
        this.resources(server)[index] ?? fail('unknown-entry', `no resource ${index}`),
      list_templates: ({ server }) => ({
        templates: this.templates(server).map((each) => each.summary),
        complete: true,
        problem: server === 'filesystem' ? 'server `filesystem` did not answer within 30 s' : null,
      }),
      describe_template: ({ server, index }) =>
        this.templates(server)[index] ?? fail('unknown-entry', `no template ${index}`),
      expand_template: ({ template, values }) => {
        if (Object.values(values).some((value) => value.includes('{')))
          fail('invalid-request', 'a value with a `{` does not fit into the template');
        return { uri: expand(template, values) };
      },
      subscribe_resource: ({ server, uri }) => this.subscribe(server, uri),
      unsubscribe_resource: ({ server, uri }) => {
        const key = JSON.stringify([server, uri]);
        clearInterval(this.timers.get(key));
        this.subscriptions.delete(key);
        this.whole.news(server);
        return {};
      },
      list_subscriptions: ({ server }) => ({
        subscriptions: [...this.subscriptions].flatMap(([key, subscription]) =>
          key.startsWith(`[${JSON.stringify(server)},`) ? [subscription] : [],
        ),
        unasked: this.unasked,
        missed: 0,
      }),
    };
  }

  /** From then on it changes every few seconds; once in a while one changes that nobody asked about. */
  private subscribe(server: string, uri: string): Record<string, never> {
    const key = JSON.stringify([server, uri]);
    this.subscriptions.set(key, { uri, since: Date.now(), updates: 0, recent: [] });
    const update = (): void => {
      const known = this.subscriptions.get(key);
      if (known === undefined) return;
      const updates = known.updates + 1;
      const recent = [Date.now(), ...known.recent].slice(0, 50);
      this.subscriptions.set(key, { ...known, updates, recent });
      this.changes.set(uri, (this.changes.get(uri) ?? 0) + 1);
      if (updates % 4 === 0) this.unasked += 1;
      this.whole.news(server);
    };
    this.timers.set(key, setInterval(update, 3000));
    this.whole.news(server);
    return {};
  }

  private resources(server: string): ResourceDetail[] {
    const own = server === 'demo' ? demoResources : server === 'filesystem' ? filesystemResources : [];
    const more = server === 'demo' ? generatedResources(Math.max(0, this.many - own.length)) : [];
    return [...own, ...more].map((entry, index) => ({
      summary: {
        index,
        uri: text(entry, 'uri') ?? '',
        name: text(entry, 'name') ?? '',
        title: text(entry, 'title'),
        description: text(entry, 'description')?.slice(0, 300) ?? null,
        mime_type: text(entry, 'mimeType'),
        size: typeof entry['size'] === 'number' ? entry['size'] : null,
        problem: entry.problem ?? null,
      },
      uri: text(entry, 'uri') ?? '',
      description: text(entry, 'description'),
      definition: definition(entry),
    }));
  }

  private templates(server: string): TemplateDetail[] {
    return (server === 'demo' ? demoTemplates : []).map((entry, index) => ({
      summary: {
        index,
        uri_template: text(entry, 'uriTemplate') ?? '',
        name: text(entry, 'name') ?? '',
        title: text(entry, 'title'),
        description: text(entry, 'description'),
        mime_type: text(entry, 'mimeType'),
        variables: variablesOf(text(entry, 'uriTemplate') ?? ''),
        problem: entry.problem ?? null,
      },
      description: text(entry, 'description'),
      definition: definition(entry),
    }));
  }
}

function text(entry: FakeEntry, key: string): string | null {
  const value = entry[key];
  return typeof value === 'string' ? value : null;
}

/** As the server sent it, without what we found wrong with it. */
function definition({ problem, ...sent }: FakeEntry): string {
  void problem;
  return JSON.stringify(sent);
}
