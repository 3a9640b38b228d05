import { describe, expect, it, vi } from 'vitest';
import type {
  ApiError,
  Call,
  Changes,
  ResourceList,
  ResourceSummary,
  ServerSummary,
  Subscription,
  TemplateSummary,
} from '../backend/bindings';
import { resourceChoice, Resources, templateChoice } from './resources.svelte';
import { call, later, server, Stub, type Answers } from './stub';

function resource(index: number, uri: string, part: Partial<ResourceSummary> = {}): ResourceSummary {
  const none = { title: null, description: null, mime_type: null, size: null, problem: null };
  return { index, uri, name: `r${index}`, ...none, ...part };
}

function template(index: number, uri_template: string, variables: string[]): TemplateSummary {
  const none = { title: null, description: null, mime_type: null, problem: null };
  return { index, uri_template, name: `t${index}`, variables, ...none };
}

const listed = (...resources: ResourceSummary[]): ResourceList => ({
  resources,
  complete: true,
  problem: null,
});

function read(id: number, uri: string, status: Call['status'], text = '{}'): Call {
  const result = status === 'ok' ? { text, shown: text.length, size: text.length } : null;
  return { ...call(id, status), method: 'resources/read', target: uri, tool: '', result };
}

const objected: ApiError = {
  code: 'objected',
  title: 'Not sent',
  message: 'the server did not declare `resources`',
  hint: null,
  chain: [],
  context: [],
};

/** A core with two resources and a template, in which every read runs until the test ends it. */
function world(answers: Answers = {}) {
  let reads = 0;
  const calls = new Map<number, Call>();
  let subscriptions: Subscription[] = [];
  const stub = new Stub({
    list_resources: () => listed(resource(0, 'a://one'), resource(1, 'a://two')),
    list_templates: () => ({ templates: [template(0, 'a://{x}', ['x'])], complete: true, problem: null }),
    describe_resource: ({ index }) => ({
      summary: resource(index, index === 0 ? 'a://one' : 'a://two'),
      uri: index === 0 ? 'a://one' : 'a://two',
      description: `about ${index}`,
      definition: '{}',
    }),
    describe_template: ({ index }) => ({
      summary: template(index, 'a://{x}', ['x']),
      description: null,
      definition: '{}',
    }),
    list_calls: ({ target }) => ({ calls: [...calls.values()].filter((each) => each.target === target) }),
    read_call: ({ call: id }) => calls.get(id)!,
    send_request: ({ params }) => {
      const { uri } = JSON.parse(params ?? '{}') as { uri: string };
      const begun = read((reads += 1), uri, 'running');
      calls.set(begun.id, begun);
      return begun;
    },
    expand_template: ({ values }) => ({ uri: `a://${values['x'] ?? ''}` }),
    subscribe_resource: () => ({}),
    unsubscribe_resource: () => ({}),
    list_subscriptions: () => ({ subscriptions, unasked: 0, missed: 0 }),
    ...answers,
  });
  const resources = new Resources(stub);
  const state: ServerSummary = server({ id: 'demo' });
  const changes = (ids: number[]): Changes => ({ calls: ids }) as Changes;
  let news = 1;
  return {
    stub,
    resources,
    /** Lets the model look at the core as it is now. */
    async look(part: Partial<ServerSummary> = {}, ids: number[] | null = []): Promise<void> {
      (
        await resources.prepare(
          { ...state, news_revision: news, ...part },
          ids === null ? null : changes(ids),
        )
      )();
      await settled();
    },
    /** Ends a read with that text, without a word to the model. */
    end(id: number, text = '{}'): void {
      calls.set(id, read(id, calls.get(id)!.target ?? '', 'ok', text));
    },
    /** What the server was subscribed to, and how often it said that it changed. */
    subscribed(...list: [uri: string, updates: number, since?: number][]): void {
      subscriptions = list.map(([uri, updates, since = 1]) => ({ uri, since, updates, recent: [] }));
      news += 1;
    },
    sent: () => stub.requests('send_request').map((request) => request.params),
  };
}

/** Lets everything that is on its way arrive. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe('the lists of resources and templates', () => {
  it('are fetched when the catalog changed, and subscriptions when there is news, and at no other time', async () => {
    const { stub, look, subscribed } = world();
    await look();
    await look();
    await look({}, [1, 2, 3]);
    expect(stub.requests('list_resources')).toHaveLength(1);
    expect(stub.requests('list_templates')).toHaveLength(1);
    expect(stub.requests('list_subscriptions')).toHaveLength(1);
    await look({ catalog_revision: 2 });
    expect(stub.requests('list_resources')).toHaveLength(2);
    expect(stub.requests('list_subscriptions'), 'nothing new of those').toHaveLength(1);
    subscribed(['a://one', 0]);
    await look({ catalog_revision: 2 });
    expect(stub.requests('list_subscriptions')).toHaveLength(2);
    expect(stub.requests('list_resources')).toHaveLength(2);
  });

  it('of a server that was left in the meantime are dropped', async () => {
    const slow = later<ResourceList>();
    const { resources, look } = world({
      list_resources: ({ server: id }) => (id === 'slow' ? slow.promise : listed(resource(0, 'a://one'))),
    });
    const first = resources.prepare(server({ id: 'slow' }), null);
    await look();
    slow.resolve(listed(resource(0, 'slow://late')));
    (await first)();
    expect(resources.server).toBe('demo');
    expect(resources.list.map((each) => each.uri)).toEqual(['a://one']);
  });

  it('do not stand or fall together', async () => {
    const { resources, look } = world({
      list_templates: () => {
        throw { ...objected, message: 'templates did not come' };
      },
    });
    await look();
    expect(resources.list).toHaveLength(2);
    expect(resources.problems).toEqual({ resources: null, templates: 'templates did not come' });
    expect(resources.none, 'nobody said that there are none').toBe(false);
  });

  it('stay in sight when the server goes, and its subscriptions are counted as ended', async () => {
    const { resources, look, subscribed } = world();
    subscribed(['a://one', 3]);
    await look();
    await look({ state: 'stopped' });
    expect(resources.list).toHaveLength(2);
    expect(resources.subscriptions.list).toEqual([]);
    expect(resources.subscriptions.ended).toBe(1);
    subscribed(['a://one', 0, 2]);
    await look();
    expect(resources.subscriptions.ended).toBe(0);
  });

  it('are searched by address, name, title, description and type', async () => {
    const { resources, look } = world({
      list_resources: () =>
        listed(resource(0, 'a://one', { mime_type: 'text/csv' }), resource(1, 'b://x', { title: 'Harbour' })),
    });
    await look();
    resources.filter = 'CSV one';
    expect(resources.shown.map((each) => each.index)).toEqual([0]);
    resources.filter = 'harb';
    expect(resources.shown.map((each) => each.index)).toEqual([1]);
    expect(resources.shownTemplates).toEqual([]);
  });
});

describe('what is looked at', () => {
  it('is the first that can be read, until the person chooses', async () => {
    const { resources, look } = world({
      list_resources: () => listed(resource(0, '', { problem: '`uri` is missing' }), resource(1, 'a://two')),
    });
    await look();
    expect(resources.choice).toEqual({ kind: 'resource', index: 1, uri: 'a://two' });
    expect(resources.detail?.description).toBe('about 1');
  });

  it('stays the same when the list changes around it, and is an address when it is listed no more', async () => {
    let list = listed(resource(0, 'a://one'), resource(1, 'a://two'));
    const { resources, look } = world({ list_resources: () => list });
    await look();
    await resources.select(resourceChoice(resource(1, 'a://two')));
    list = listed(resource(0, 'a://new'), resource(1, 'a://one'), resource(2, 'a://two'));
    await look({ catalog_revision: 2 });
    expect(resources.choice).toMatchObject({ kind: 'resource', index: 2 });
    list = listed(resource(0, 'a://one'));
    await look({ catalog_revision: 3 });
    expect(resources.choice).toEqual({ kind: 'address', uri: 'a://two' });
  });

  it('is described only if it is still looked at when the description comes', async () => {
    const slow = later<null>();
    const { resources, look } = world({
      describe_resource: async ({ index }) => {
        if (index === 1) await slow.promise;
        const uri = `a://${index}`;
        return { summary: resource(index, uri), uri, description: `about ${index}`, definition: '{}' };
      },
    });
    await look();
    const older = resources.select(resourceChoice(resource(1, 'a://two')));
    await resources.select(resourceChoice(resource(0, 'a://one')));
    slow.resolve(null);
    await older;
    expect(resources.detail?.description).toBe('about 0');
  });
});

describe('opening an address', () => {
  it('selects the listed resource and reads it', async () => {
    const { resources, look, sent } = world();
    await look();
    await resources.open('demo', 'a://two');
    expect(resources.choice).toEqual({ kind: 'resource', index: 1, uri: 'a://two' });
    expect(sent()).toEqual(['{"uri":"a://two"}']);
    expect(resources.reads.shown?.target).toBe('a://two');
  });

  it('that is not listed shows and reads it all the same', async () => {
    const { resources, look, sent } = world();
    await look();
    await resources.open('demo', 'x://elsewhere');
    expect(resources.choice).toEqual({ kind: 'address', uri: 'x://elsewhere' });
    expect(resources.resource).toBeNull();
    expect(sent()).toEqual(['{"uri":"x://elsewhere"}']);
  });

  it('before the lists are here finds it in them when they come', async () => {
    const { resources, look, sent } = world();
    await resources.open('demo', 'a://two');
    expect(sent()).toEqual(['{"uri":"a://two"}']);
    await look();
    expect(resources.choice).toEqual({ kind: 'resource', index: 1, uri: 'a://two' });
    expect(resources.reads.shown?.status, 'the read that was begun is shown').toBe('running');
    expect(sent()).toHaveLength(1);
  });

  it('is held back with the reason, and sent when the person insists', async () => {
    const { stub, resources, look } = world({
      send_request: ({ anyway }) => {
        if (!anyway) throw objected;
        return read(9, 'a://one', 'running');
      },
    });
    await look();
    await resources.read();
    expect(resources.reads.refusal?.code).toBe('objected');
    await resources.read('anyway');
    expect(resources.reads.refusal).toBeNull();
    expect(resources.reads.shown?.id).toBe(9);
    expect(stub.requests('send_request').map((request) => request.anyway)).toEqual([false, true]);
  });
});

describe('a read', () => {
  it('is shown as it ended also when the panel was away at the end', async () => {
    const { resources, look, end } = world();
    await look();
    await resources.read();
    end(1);
    await look({}, null);
    expect(resources.reads.shown?.status).toBe('ok');
  });

  it('that is refused after another address was chosen says nothing there', async () => {
    const slow = later<Call>();
    const { resources, look } = world({
      send_request: async () => {
        await slow.promise;
        throw objected;
      },
    });
    await look();
    const reading = resources.read();
    await resources.select(resourceChoice(resource(1, 'a://two')));
    slow.resolve(read(1, 'a://one', 'running'));
    await reading;
    expect(resources.reads.refusal).toBeNull();
  });

  it('has the one before to be compared with, and of very many only the newest are held', async () => {
    const { resources, look, end } = world();
    await look();
    for (let id = 1; id <= 40; id += 1) {
      await resources.read();
      end(id, `{"n":${id}}`);
      await look({}, [id]);
    }
    const { reads } = resources;
    expect(reads.shown?.result?.text).toBe('{"n":40}');
    expect(reads.before?.result?.text).toBe('{"n":39}');
    expect(reads.list.length).toBeLessThanOrEqual(31);
    expect(reads.list.length + reads.dropped, 'what was dropped is counted').toBe(40);
  });
});

describe('a resource that is subscribed to', () => {
  async function subscribed(answers: Answers = {}) {
    const all = world(answers);
    await all.look();
    await all.resources.read();
    all.end(1);
    await all.look({}, [1]);
    await all.resources.subscribe();
    all.subscribed(['a://one', 0]);
    await all.look();
    return all;
  }

  it('is read again once when it changed, and shown as the newest', async () => {
    const { resources, look, subscribed: tell, end, sent } = await subscribed();
    tell(['a://one', 1]);
    await look();
    expect(sent()).toHaveLength(2);
    expect(resources.reads.shown?.id, 'what was read before stays until there is more').toBe(1);
    await look();
    expect(sent(), 'nothing new happened').toHaveLength(2);
    end(2);
    await look({}, [2]);
    expect(sent(), 'its end is no update').toHaveLength(2);
    expect(resources.reads.shown?.id).toBe(2);
    expect(resources.reads.automatic.has(2)).toBe(true);
  });

  /** Until updates may make it read again. */
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 600));

  it('is not read twice at a time: all that changed meanwhile is one more read', async () => {
    const { look, subscribed: tell, end, sent } = await subscribed();
    for (const updates of [1, 2, 3, 4]) {
      tell(['a://one', updates]);
      await look();
    }
    expect(sent(), 'the first of them is still running').toHaveLength(2);
    end(2);
    await look({}, [2]);
    expect(sent(), 'a server that tells of each read does not keep us reading').toHaveLength(2);
    await pause();
    expect(sent()).toHaveLength(3);
    end(3);
    await look({}, [3]);
    expect(sent()).toHaveLength(3);
  });

  it('leaves an earlier read in sight that the person chose', async () => {
    const { resources, look, subscribed: tell, end } = await subscribed();
    tell(['a://one', 1]);
    await look();
    end(2);
    await look({}, [2]);
    resources.reads.chosen = 1;
    tell(['a://one', 2]);
    await look();
    await pause();
    expect(resources.reads.list).toHaveLength(3);
    expect(resources.reads.shown?.id).toBe(1);
  });

  it('is left alone where the person wants that, and caught up with when not any more', async () => {
    const { resources, look, subscribed: tell, sent } = await subscribed();
    resources.setRereads('a://one', false);
    tell(['a://one', 5]);
    await look();
    expect(sent()).toHaveLength(1);
    resources.setRereads('a://one', true);
    await settled();
    expect(sent()).toHaveLength(2);
  });

  it('is read when it is looked at again, if it changed while another one was', async () => {
    const { resources, look, subscribed: tell, sent } = await subscribed();
    await resources.select(resourceChoice(resource(1, 'a://two')));
    tell(['a://one', 1]);
    await look();
    expect(sent(), 'nobody looks at it').toHaveLength(1);
    await resources.select(resourceChoice(resource(0, 'a://one')));
    await settled();
    expect(sent()).toHaveLength(2);
  });

  it('is not read for what had happened before it was seen here, nor again after a refusal', async () => {
    const fresh = world();
    fresh.subscribed(['a://one', 57]);
    await fresh.look();
    expect(fresh.sent()).toEqual([]);

    const refused = world({
      send_request: () => {
        throw objected;
      },
    });
    refused.subscribed(['a://one', 1]);
    await refused.look();
    refused.subscribed(['a://one', 2]);
    await refused.look();
    await refused.look();
    expect(refused.sent(), 'one try for one update').toHaveLength(1);
  });

  it('says why the server did not grant it', async () => {
    const { resources, look } = world({
      subscribe_resource: () => {
        throw objected;
      },
    });
    await look();
    await resources.subscribe();
    expect(resources.subscriptions.refusal).toMatchObject({ uri: 'a://one', error: { code: 'objected' } });
    expect(resources.subscriptions.asking.size).toBe(0);
  });
});

describe('a template', () => {
  it('is read as what was typed last, however fast', async () => {
    const { resources, look, sent } = world();
    await look();
    await resources.select(templateChoice(template(0, 'a://{x}', ['x'])));
    resources.draft!.set('x', 'first');
    await resources.draft!.expand();
    resources.draft!.set('x', 'last');
    expect(resources.uri, 'the address is behind').toBeNull();
    await resources.read();
    expect(sent()).toEqual(['{"uri":"a://last"}']);
    expect(resources.reads.uri).toBe('a://last');
  });

  it('drops the address of values that were replaced', async () => {
    const answers = [later<{ uri: string }>(), later<{ uri: string }>()];
    let at = 0;
    const { resources, look } = world({ expand_template: () => answers[at++]!.promise });
    await look();
    await resources.select(templateChoice(template(0, 'a://{x}', ['x'])));
    const draft = resources.draft!;
    draft.set('x', '1');
    const older = draft.expand();
    draft.set('x', '2');
    const newer = draft.expand();
    answers[1]!.resolve({ uri: 'a://2' });
    expect(await newer).toBe('a://2');
    answers[0]!.resolve({ uri: 'a://1' });
    expect(await older).toBeNull();
    expect(draft.uri).toBe('a://2');
  });

  it('keeps what was typed while another entry is looked at, and what was read of it', async () => {
    const { resources, look } = world();
    await look();
    await resources.select(templateChoice(template(0, 'a://{x}', ['x'])));
    resources.draft!.set('x', 'kept');
    await resources.read();
    await resources.select(resourceChoice(resource(0, 'a://one')));
    expect(resources.draft).toBeNull();
    await resources.select(templateChoice(template(0, 'a://{x}', ['x'])));
    expect(resources.draft!.values.get('x')).toBe('kept');
    expect(resources.reads.uri).toBe('a://kept');
  });

  it('says why its values give no address, and reads nothing', async () => {
    const { resources, look, sent } = world({
      expand_template: () => {
        throw { ...objected, code: 'invalid-request', message: 'the template never ends' };
      },
    });
    await look();
    await resources.select(templateChoice(template(0, 'a://{x}', ['x'])));
    await resources.read();
    expect(resources.draft!.expanded?.problem?.message).toBe('the template never ends');
    expect(sent()).toEqual([]);
  });

  it('asks for suggestions with the other values, whatever the variables are called', async () => {
    const complete = vi.fn(() => ({ values: ['a'], total: null, has_more: false }));
    const { stub, resources, look } = world({ complete_argument: complete });
    await look();
    await resources.select(templateChoice(template(0, 'a://{x}', ['x'])));
    const draft = resources.draft!;
    draft.set('__proto__', 'p');
    draft.set('empty', 'x');
    draft.set('empty', '');
    draft.set('x', 'old');
    await draft.complete('x', 'n');
    expect(stub.requests('complete_argument')).toEqual([
      {
        server: 'demo',
        of: 'template',
        name: 'a://{x}',
        argument: 'x',
        value: 'n',
        context: Object.fromEntries([['__proto__', 'p']]),
      },
    ]);
  });
});

describe('an address that is too long for a list', () => {
  const whole = `a://${'x'.repeat(5000)}`;
  const cut = `${whole.slice(0, 4000)}… (1004 more bytes are in the log)`;
  const answers: Answers = {
    list_resources: () => listed(resource(0, cut)),
    describe_resource: () => ({
      summary: resource(0, cut),
      uri: whole,
      description: null,
      definition: '{}',
    }),
  };

  it('is read and subscribed to whole', async () => {
    const { stub, resources, look, sent } = world(answers);
    await look();
    await resources.read();
    expect(JSON.parse(sent()[0] ?? '{}')).toEqual({ uri: whole });
    expect(resources.reads.shown?.id).toBe(1);
    await resources.subscribe();
    expect(stub.requests('subscribe_resource')).toEqual([{ server: 'demo', uri: whole }]);
  });

  it('is not read at all before it is known', async () => {
    const slow = later<null>();
    const { resources, look, sent } = world({
      list_resources: () => listed(resource(0, 'a://one'), resource(1, cut)),
      describe_resource: async ({ index }) => {
        if (index === 1) await slow.promise;
        return { ...resource(0, ''), summary: resource(1, cut), uri: whole, definition: '{}' };
      },
    });
    await look();
    const looking = resources.select(resourceChoice(resource(1, cut)));
    await resources.read();
    expect(sent()).toEqual([]);
    slow.resolve(null);
    await looking;
    expect(resources.uri).toBe(whole);
  });

  it('is found in the list by all of it', async () => {
    const { resources, look } = world(answers);
    await look();
    await resources.look(whole);
    expect(resources.choice).toMatchObject({ kind: 'resource', index: 0 });
  });

  it('of a template is completed by what its definition has', async () => {
    const long = `a://{x}${'y'.repeat(5000)}`;
    const listedTemplate = template(0, `${long.slice(0, 4000)}… (1007 more bytes are in the log)`, ['x']);
    const { resources, look } = world({
      list_resources: () => listed(),
      list_templates: () => ({ templates: [listedTemplate], complete: true, problem: null }),
      describe_template: () => ({
        summary: listedTemplate,
        description: null,
        definition: JSON.stringify({ uriTemplate: long }),
      }),
    });
    await look();
    expect(resources.draft?.template).toBe(long);
  });
});
