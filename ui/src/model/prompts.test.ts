import { describe, expect, it } from 'vitest';
import type { Call, Changes, PromptDetail, PromptList, PromptSummary } from '../backend/bindings';
import { Prompts } from './prompts.svelte';
import { call, later, server, Stub, type Answers } from './stub';

function prompt(index: number, name: string, ...required: string[]): PromptSummary {
  const argument = { title: null, description: null };
  return {
    index,
    name,
    title: null,
    description: `About ${name}`,
    arguments: [
      ...required.map((each) => ({ ...argument, name: each, required: true })),
      { ...argument, name: 'style', required: false },
    ],
    problem: null,
  };
}
const prompts: PromptList = {
  prompts: [prompt(0, 'greet', 'name'), prompt(1, 'review', 'language', 'code')],
  complete: true,
  problem: null,
};

function described(summary: PromptSummary, name = summary.name, definition = '{}'): PromptDetail {
  return { summary, name, description: null, definition };
}

function got(id: number, status: Call['status'], target = 'greet'): Call {
  return { ...call(id, status), method: 'prompts/get', tool: '', target };
}

function changes(calls: number[]): Changes {
  return {
    revision: 2,
    log_total: 0,
    log_bytes: 0,
    log_lost: 0,
    recording_problem: null,
    servers_revision: 1,
    questions_revision: 0,
    calls,
  };
}

function world(answers: Answers = {}) {
  const stub = new Stub({
    list_prompts: () => prompts,
    describe_prompt: ({ index }) => described(prompts.prompts[index]!),
    list_calls: () => ({ calls: [] }),
    send_request: () => got(1, 'running'),
    ...answers,
  });
  return { stub, model: new Prompts(stub) };
}

const demo = server({ id: 'demo' });
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

describe('the prompts of a server', () => {
  it('are listed once, and again only when the catalog changed', async () => {
    const { stub, model } = world();
    for (const catalog of [1, 1, 1, 2])
      (await model.prepare(server({ id: 'demo', catalog_revision: catalog }), changes([])))();
    expect(stub.requests('list_prompts')).toHaveLength(2);
    expect(model.current?.name, 'the first that can be got').toBe('greet');
  });

  it('stay in sight when their server goes, and go with another one', async () => {
    const { model } = world({ list_prompts: ({ server: id }) => (id === 'demo' ? prompts : failed()) });
    (await model.prepare(demo, null))();
    (await model.prepare(server({ id: 'demo', state: 'failed' }), null))();
    expect(model.list).toHaveLength(2);
    (await model.prepare(server({ id: 'other', state: 'stopped' }), null))();
    expect(model.list).toHaveLength(0);
    (await model.prepare(server({ id: 'other' }), null))();
    expect(model.problem).toBe('page 2 did not arrive');
    expect(model.none, 'a list that failed says nothing about how many there are').toBe(false);
  });

  it('of a server that was left do not take the place of those of the next', async () => {
    const slow = later<PromptList>();
    const { model } = world({
      list_prompts: ({ server: id }) => (id === 'slow' ? slow.promise : prompts),
    });
    const first = model.prepare(server({ id: 'slow' }), null);
    (await model.prepare(demo, null))();
    slow.resolve({ ...prompts, prompts: [prompt(0, 'late')] });
    (await first)();
    expect(model.server).toBe('demo');
    expect(model.list).toHaveLength(2);
  });

  it('do not move the eye from the one that was chosen while they were listed again', async () => {
    const slow = later<PromptList>();
    let lists = 0;
    const { model } = world({ list_prompts: () => (lists++ === 0 ? prompts : slow.promise) });
    (await model.prepare(demo, null))();
    const again = model.prepare(server({ id: 'demo', catalog_revision: 2 }), null);
    await settled();
    await model.select(1);
    slow.resolve({ ...prompts, prompts: [prompt(0, 'added'), prompt(1, 'greet'), prompt(2, 'review')] });
    (await again)();
    expect(model.current).toMatchObject({ index: 2, name: 'review' });
  });

  it('are gone to by name, also before they are listed', async () => {
    const { model } = world();
    await model.seek('demo', 'review');
    (await model.prepare(demo, null))();
    expect(model.current?.name).toBe('review');
    await model.seek('demo', 'greet');
    expect(model.detail?.summary.name).toBe('greet');
  });

  it('are found by name, title or description', async () => {
    const { model } = world();
    (await model.prepare(demo, null))();
    model.filter = 'ABOUT rev';
    expect(model.shown.map((each) => each.name)).toEqual(['review']);
  });
});

describe('getting a prompt', () => {
  it('sends what was typed and leaves out what was not', async () => {
    const { stub, model } = world();
    (await model.prepare(demo, null))();
    const [greet] = prompts.prompts as [PromptSummary];
    await model.get(greet, 'keep');
    model.draft(greet).set('name', 'Ada');
    model.draft(greet).set('style', '');
    model.draft(greet).set('gone', 'an argument that the prompt no longer has');
    await model.get(greet, 'keep');
    expect(stub.requests('send_request').map((each) => each.params)).toEqual([
      '{"name":"greet"}',
      '{"name":"greet","arguments":{"name":"Ada"}}',
    ]);
    expect(stub.requests('send_request')[0]).toMatchObject({ method: 'prompts/get', anyway: false });
  });

  it('sends an argument by any name', async () => {
    const { stub, model } = world();
    (await model.prepare(demo, null))();
    const odd = prompt(0, 'odd', '__proto__');
    model.draft(odd).set('__proto__', 'x');
    await model.get(odd, 'anyway');
    expect(stub.requests('send_request')[0]).toMatchObject({
      params: '{"name":"odd","arguments":{"__proto__":"x"}}',
      anyway: true,
    });
  });

  it('shows the newest result, and its end even when that overtook its start', async () => {
    const sent = later<Call>();
    const { model } = world({ send_request: () => sent.promise, read_call: () => got(7, 'ok') });
    (await model.prepare(demo, null))();
    await settled();
    const sending = model.get(prompts.prompts[0]!, 'keep');
    (await model.prepare(demo, changes([7])))();
    sent.resolve(got(7, 'running'));
    await sending;
    expect(model.calls.shown).toMatchObject({ id: 7, status: 'ok' });
  });

  it('that ended while nobody looked is seen when one looks again', async () => {
    let status: Call['status'] = 'running';
    const { stub, model } = world({ list_calls: () => ({ calls: [got(3, status)] }) });
    (await model.prepare(demo, null))();
    await settled();
    status = 'ok';
    (await model.prepare(demo, null))();
    expect(model.calls.shown?.status).toBe('ok');
    expect(stub.requests('list_calls').at(-1)).toEqual({
      server: 'demo',
      method: 'prompts/get',
      target: 'greet',
    });
  });

  it('keeps the results of each prompt apart, and the one before for comparing', async () => {
    const result = { text: '{}', shown: 2, size: 2 };
    const { model } = world({
      list_calls: ({ target }) =>
        target === 'greet'
          ? { calls: [got(1, 'ok'), got(2, 'timeout'), got(3, 'ok')].map((each) => ({ ...each, result })) }
          : { calls: [] },
    });
    (await model.prepare(demo, null))();
    await settled();
    expect(model.calls.shown?.id).toBe(3);
    model.calls.chosen = 2;
    expect(model.calls.before?.id).toBe(1);
    await model.select(1);
    expect(model.calls.list).toEqual([]);
  });
});

describe('a prompt with names that are too long for a list', () => {
  const whole = 'n'.repeat(600);
  const cut = `${whole.slice(0, 500)}… (100 more bytes are in the log)`;

  it('is asked for by the whole of them', async () => {
    const listed = prompt(0, cut, cut, 'short');
    const definition = JSON.stringify({ arguments: [{ name: 'short' }, 7, { name: whole }] });
    const { stub, model } = world({
      list_prompts: () => ({ ...prompts, prompts: [listed] }),
      describe_prompt: () => described(listed, whole, definition),
    });
    (await model.prepare(demo, null))();
    const { summary } = model.detail!;
    model.draft(summary).set(whole, 'x');
    await model.get(summary, 'keep');
    expect(stub.requests('send_request')[0]?.params).toBe(
      JSON.stringify({ name: whole, arguments: { [whole]: 'x' } }),
    );
    await settled();
    expect(stub.requests('list_calls').at(-1)?.target).toBe(whole);
  });
});

describe('what was typed for a prompt', () => {
  it('is kept while one looks at another, on each server', async () => {
    const { model } = world();
    (await model.prepare(demo, null))();
    const [greet, review] = prompts.prompts as [PromptSummary, PromptSummary];
    model.draft(greet).set('name', 'Ada');
    expect(model.draft(review).values.get('name')).toBeUndefined();
    (await model.prepare(server({ id: 'other' }), null))();
    expect(model.draft(greet).values.get('name')).toBeUndefined();
    (await model.prepare(demo, null))();
    expect(model.draft(greet).values.get('name')).toBe('Ada');
  });

  it('may be sent with something missing once the person was told of just that', () => {
    const { model } = world();
    const review = prompts.prompts[1]!;
    const draft = model.draft(review);
    const missing = (): string[] => draft.missing(review.arguments);
    expect(missing()).toEqual(['language', 'code']);
    expect(draft.insists(missing())).toBe(false);
    draft.remind(missing());
    expect(draft.insists(missing())).toBe(true);
    draft.set('language', 'rust');
    expect(draft.insists(missing()), 'it is another set now').toBe(false);
    draft.set('code', 'fn');
    expect(draft.insists(missing()), 'nothing is missing').toBe(false);
  });
});

describe('suggestions for an argument', () => {
  it('are asked for with the values of the others', async () => {
    const { stub, model } = world({
      complete_argument: () => ({ values: ['fn main'], total: null, has_more: false }),
    });
    (await model.prepare(demo, null))();
    const review = prompts.prompts[1]!;
    model.draft(review).set('language', 'rust');
    model.draft(review).set('code', 'f');
    await model.suggest(review, 'code', 'fn');
    expect(stub.requests('complete_argument')).toEqual([
      {
        server: 'demo',
        of: 'prompt',
        name: 'review',
        argument: 'code',
        value: 'fn',
        context: { language: 'rust' },
      },
    ]);
  });
});

function failed(): never {
  throw {
    code: 'server-error',
    title: 'No',
    message: 'page 2 did not arrive',
    hint: null,
    chain: [],
    context: [],
  };
}
