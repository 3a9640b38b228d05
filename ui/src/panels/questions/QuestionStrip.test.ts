import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Question, ServerDetail } from '../../backend/bindings';
import { Session } from '../../model/session.svelte';
import { call, later, question, server, serverList, Stub, type Answers } from '../../model/stub';
import QuestionStrip from './QuestionStrip.svelte';

let close = (): void => undefined;
// It is loaded when the first question is looked at, which takes a busy machine its time.
beforeAll(() => import('./QuestionBody.svelte'));
const patience = { timeout: 10_000 };
/** The page under test has no layout: how high a box is and what is in it is said here. */
const box = { clientHeight: 100, scrollHeight: 100 };
beforeEach(() => {
  Object.assign(box, { clientHeight: 100, scrollHeight: 100 });
  for (const name of ['clientHeight', 'scrollHeight'] as const)
    vi.spyOn(HTMLElement.prototype, name, 'get').mockImplementation(() => box[name]);
});
afterEach(() => {
  close();
  vi.restoreAllMocks();
});

async function shown(list: Question[], answers: Answers = {}) {
  let listed = list;
  let revision = 1;
  const gone = (number: number): Record<string, never> => {
    listed = listed.filter((each) => each.number !== number);
    return {};
  };
  const stub = new Stub({
    list_servers: () => serverList([server({ id: 'demo', name: 'Our name' })]),
    describe_server: () => ({ summary: server({ id: 'demo' }) }) as ServerDetail,
    list_questions: () => ({ questions: listed }),
    answer_question: ({ number }) => gone(number),
    refuse_questions: () => {
      listed = [];
      return { refused: list.length };
    },
    check_answer: () => ({ violations: [], note: null }),
    ...answers,
  });
  const session = new Session(stub, 'demo');
  (await session.servers.prepare(1))();
  (await session.questions.prepare(revision))();
  const page = document.body.appendChild(document.createElement('div'));
  const strip = mount(QuestionStrip, { target: page, props: { session } });
  flushSync();
  close = () => {
    void unmount(strip);
    page.remove();
  };
  const find = (selector: string): HTMLElement | null => page.querySelector(selector);
  const seen = (selector: string): Promise<HTMLElement> =>
    vi.waitFor(() => {
      flushSync();
      const element = find(selector);
      if (element === null) throw new Error(`no ${selector}`);
      return element;
    }, patience);
  const act = async (name: string): Promise<void> => (await seen(`[data-action="${name}"]`)).click();
  /** What the core has now is shown. */
  const follow = async (next = listed): Promise<void> => {
    listed = next;
    (await session.questions.prepare((revision += 1)))();
    flushSync();
  };
  const accept = (): HTMLButtonElement => find('[data-action="answer-question"]') as HTMLButtonElement;
  const free = (): Promise<void> =>
    vi.waitFor(() => {
      flushSync();
      expect(accept().disabled).toBe(false);
    }, patience);
  const open = async (): Promise<void> => {
    await act('look-at-question');
    await seen('[data-asked]');
  };
  return { stub, session, page, find, seen, act, follow, accept, free, open };
}

const words = (element: Element | null): string => element?.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '';

function form(number: number, properties: object, part: object = {}): Question {
  const params = { message: `message ${number}`, requestedSchema: { type: 'object', properties }, ...part };
  return question(number, { params: JSON.stringify(params) });
}

const sure = { sure: { type: 'boolean', default: true } };

describe('the strip of a question', () => {
  it('is there without taking the focus, closed, with how many more wait', async () => {
    const { find } = await shown([form(1, sure), form(2, sure), form(3, sure)]);
    expect(words(find('[data-question] [role="status"]'))).toBe(
      '? Question Our name asks you for something · 2 more',
    );
    expect(find('[data-question-number="1"]')).not.toBeNull();
    expect(find('[data-asked]')).toBeNull();
    expect(document.activeElement).toBe(document.body);
    expect(find('[data-question] button')?.dataset['action'], 'what is gone to first answers nothing').toBe(
      'look-at-question',
    );
  });

  it('shows the whole question, what is sent, and three answers', async () => {
    const { stub, find, open, accept, free, follow } = await shown([form(1, sure)]);
    await open();
    expect(words(find('[data-message]'))).toBe('message 1');
    expect(words(find('[data-review]'))).toBe('{"action":"accept","content":{"sure":true}}');
    expect(find('[data-action="refuse-question"]')?.textContent).toBe('Decline');
    expect(find('[data-action="cancel-question"]')?.textContent).toBe('Cancel');
    await free();
    accept().click();
    await vi.waitFor(() =>
      expect(stub.requests('answer_question')).toEqual([
        { number: 1, result: '{"action":"accept","content":{"sure":true}}', error: null },
      ]),
    );
    await follow();
    expect(find('[data-question]')).toBeNull();
    expect(find('[data-withdrawn]'), 'it was answered').toBeNull();
  });

  it.each([
    ['refuse-question', '{"action":"decline"}'],
    ['cancel-question', '{"action":"cancel"}'],
  ])('can say no at any time: %s', async (action, result) => {
    box.scrollHeight = 500;
    const { stub, open, act } = await shown([form(1, sure)]);
    await open();
    await act(action);
    expect(stub.requests('answer_question')).toEqual([{ number: 1, result, error: null }]);
  });

  it('hides by Escape and keeps the question with what was typed', async () => {
    const { stub, find, seen, open } = await shown([form(1, { name: { type: 'string' } })]);
    await open();
    const field = (await seen('[data-field="name"] textarea')) as HTMLTextAreaElement;
    field.value = 'Ada';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.focus();
    for (const key of ['Enter', 'Escape'])
      field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    flushSync();
    expect(find('[data-asked]')).toBeNull();
    expect(document.activeElement).toBe(find('[data-action="look-at-question"]'));
    await open();
    expect(((await seen('[data-field="name"] textarea')) as HTMLTextAreaElement).value).toBe('Ada');
    expect(stub.requests('answer_question')).toEqual([]);
  });

  it('lets no key within it call the tool below', async () => {
    const { find, open } = await shown([form(1, sure)]);
    await open();
    const called = vi.fn();
    addEventListener('keydown', called);
    const press = { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true };
    find('[data-asked]')?.dispatchEvent(new KeyboardEvent('keydown', press));
    removeEventListener('keydown', called);
    expect(called).not.toHaveBeenCalled();
  });
});

describe('accepting', () => {
  it('is not possible within half a second of being shown, for the next question neither', async () => {
    const { stub, open, accept, free, follow, find } = await shown([form(1, sure), form(2, sure)]);
    await open();
    expect(accept().disabled).toBe(true);
    accept().click();
    expect(words(find('[data-why]'))).toBe('Only just shown');
    await free();
    accept().focus();
    accept().click();
    await vi.waitFor(() => expect(stub.requests('answer_question')).toHaveLength(1));
    await follow();
    expect(find('[data-question-number="2"] [data-asked]'), 'who answers goes on').not.toBeNull();
    expect(accept().disabled).toBe(true);
    expect(document.activeElement, 'the focus is on no answer').toBe(find('[data-question]'));
    accept().click();
    expect(stub.requests('answer_question')).toHaveLength(1);
    await free();
  });

  it('waits until the end was in sight, and says so', async () => {
    box.scrollHeight = 500;
    const { stub, open, accept, free, find } = await shown([form(1, sure)]);
    await open();
    await vi.waitFor(() => {
      flushSync();
      expect(words(find('[data-why]'))).toBe('Scroll to its end first');
    });
    await new Promise((resolve) => setTimeout(resolve, 600));
    accept().click();
    expect(accept().disabled).toBe(true);
    const body = find('[data-asked]')!;
    body.scrollTop = 400;
    body.dispatchEvent(new Event('scroll'));
    await free();
    expect(words(find('[data-why]'))).toBe('');
    expect(stub.requests('answer_question')).toEqual([]);
  });

  it('waits until a long text is unfolded', async () => {
    const message = Array.from({ length: 500 }, (_, line) => `line ${line}`).join('\n');
    const { open, free, find, accept } = await shown([form(1, sure, { message })]);
    await open();
    await vi.waitFor(() => {
      flushSync();
      expect(words(find('[data-why]'))).toBe('Unfold all of it first');
    });
    find('[data-message] button')!.click();
    flushSync();
    expect(accept().disabled).toBe(true);
    find('[data-asked]')!.dispatchEvent(new Event('scroll'));
    await free();
  });

  it('comes to nothing where the question is hidden while the answer is checked', async () => {
    const checked = later<{ violations: []; note: null }>();
    const { stub, open, accept, free, find } = await shown([form(1, sure)], {
      check_answer: () => checked.promise,
    });
    await open();
    await free();
    accept().click();
    find('[data-action="look-at-question"]')!.click();
    flushSync();
    checked.resolve({ violations: [], note: null });
    await new Promise((resolve) => setTimeout(resolve));
    expect(stub.requests('answer_question')).toEqual([]);
  });

  it('of what does not fit the schema is asked for twice, with a pause', async () => {
    const violations = [{ path: '', place: '/name', message: '`name` is required' }];
    const { stub, open, accept, free, find } = await shown([form(1, { name: { type: 'string' } })], {
      check_answer: () => ({ violations, note: null }),
    });
    await open();
    await free();
    accept().click();
    await vi.waitFor(() => {
      flushSync();
      expect(accept().textContent).toBe('Accept anyway');
    });
    expect(accept().disabled, 'a double click is not a second thought').toBe(true);
    expect(words(find('[data-why]'))).toBe('▲ 1 thing does not fit the schema');
    expect(words(find('[data-field="name"]'))).toContain('required');
    expect(stub.requests('answer_question')).toEqual([]);
    await free();
    accept().click();
    await vi.waitFor(() => expect(stub.requests('answer_question')).toHaveLength(1));
  });
});

describe('what to beware of', () => {
  it('is told in words: secrets, and schemas beyond what is allowed', async () => {
    const { find, open } = await shown([
      form(1, { api_key: { type: 'string' }, home: { type: 'object', properties: {} } }),
    ]);
    await open();
    expect(words(find('[data-secrets]'))).toContain('api_key looks like a secret');
    expect(words(find('[data-strays]'))).toContain('home is an object within the form');
    expect(find('[data-field="home"]'), 'it can be answered all the same').not.toBeNull();
  });

  it('is that only a part is here: then there is no form and no answer that nobody wrote', async () => {
    const part = { clipped: true, size: 2_000_000, params: '{"message":"m","requestedSchema":{"prop' };
    const { find, open, accept } = await shown([{ ...question(1), ...part }]);
    await open();
    expect(words(find('[data-clipped]'))).toContain('2.0 MB');
    expect(find('[data-field]')).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 600));
    flushSync();
    expect(accept().disabled).toBe(true);
    expect(words(find('[data-why]'))).toContain('not JSON yet');
  });

  it('is that a question was withdrawn, and the next one begins closed', async () => {
    const { find, open, follow, act, session } = await shown([form(1, sure), form(2, sure)]);
    await open();
    await follow([form(2, sure)]);
    expect(find('[data-question-number="2"]')).not.toBeNull();
    expect(find('[data-asked]')).toBeNull();
    expect(words(find('[data-withdrawn]'))).toContain('A question of Our name was withdrawn by the server');
    find('[data-withdrawn] button')!.click();
    flushSync();
    expect(find('[data-withdrawn]')).toBeNull();
    await act('refuse-question');
    await follow();
    expect(session.questions.withdrawn.size).toBe(0);
  });
});

describe('a page that a server wants visited', () => {
  const page = question(1, { params: '{"mode":"url","message":"m","url":"https://a.test@b.test/x?y"}' });
  const link = { url: 'https://a.test@b.test/x?y', host: 'b.test', warnings: ['`b.test`'], refusal: null };

  it('is opened by one button and by nothing else, once in a second', async () => {
    const { stub, find, seen, open, act, free, accept } = await shown([page], {
      look_at_link: () => link,
      open_link: () => ({}),
    });
    await open();
    expect(words(await seen('[data-host]'))).toBe('b.test');
    expect(words(find('[data-url]'))).toBe(link.url);
    expect(words(find('[data-url] b')), 'the host stands out').toBe('b.test');
    expect(words(find('[data-link-warning]'))).toBe('▲ b.test');
    expect(find('[data-asked] a, [data-asked] [href]')).toBeNull();
    expect(stub.requests('open_link')).toEqual([]);
    await act('open-link');
    await act('open-link');
    expect(stub.requests('open_link'), 'the second one came too soon').toEqual([{ number: 1 }]);
    await free();
    accept().click();
    await vi.waitFor(() =>
      expect(stub.requests('answer_question')).toEqual([
        { number: 1, result: '{"action":"accept"}', error: null },
      ]),
    );
  });

  it('is not opened where the core refuses, and the reason is said', async () => {
    const refusal = 'an address of the kind `file` is not opened';
    const { find, seen, open } = await shown([page], { look_at_link: () => ({ ...link, refusal }) });
    await open();
    expect(words(await seen('[data-link-refusal]'))).toContain('Not opened: an address of the kind file');
    expect((find('[data-action="open-link"]') as HTMLButtonElement).disabled).toBe(true);
  });
});

describe('other questions', () => {
  it('are answered as JSON', async () => {
    const { stub, find, open, free, accept } = await shown([
      question(1, { method: 'sampling/createMessage', params: '{"maxTokens":1}' }),
    ]);
    await open();
    expect(words(find('[role="tree"]'))).toContain('maxTokens');
    expect(find('[data-action="cancel-question"]')).toBeNull();
    expect(words(find('[data-action="refuse-question"]'))).toBe('Refuse');
    await free();
    accept().click();
    await vi.waitFor(() => expect(stub.requests('answer_question')[0]?.result).toContain('"assistant"'));
  });

  it('are all declined at once', async () => {
    const { stub, find, act, follow } = await shown([form(1, sure), form(2, sure)]);
    expect(words(find('[data-action="refuse-all-questions"]'))).toBe('Decline all 2');
    await act('refuse-all-questions');
    await follow();
    expect(stub.requests('refuse_questions')).toEqual([{ server: 'demo' }]);
    expect([find('[data-question]'), find('[data-withdrawn]')]).toEqual([null, null]);
  });

  it('lead to the call during which they were asked', async () => {
    const asked = { ...form(1, sure), call: 4 };
    const { session, seen, open, act } = await shown([asked], { read_call: () => call(4, 'running') });
    await open();
    expect(words((await seen('[data-action="go-to-call"]')).parentElement)).toContain('tools/call add');
    await act('go-to-call');
    expect(session.stage.chosen).toEqual({ server: 'demo', tab: 'tools' });
  });
});
