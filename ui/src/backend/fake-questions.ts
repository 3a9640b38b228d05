import type { Question } from './bindings';
import { checkSchema } from './fake-check';
import type { Part, Whole } from './fake-parts';

/** What the demo server asks, with `?questions` in the address: one of each kind, or those of one kind by its name. */
export class FakeQuestions {
  revision = 1;
  private open: Question[];

  constructor(
    private readonly whole: Whole & { changed: () => void },
    wanted: string | null,
  ) {
    const names = wanted === null ? [] : wanted === '' ? Object.keys(fakeAsked) : wanted.split(',');
    this.open = names.map((name, at) => {
      const [method, asked] = fakeAsked[name] ?? whole.fail('invalid-request', `no questions called ${name}`);
      const params = JSON.stringify(asked);
      const clipped = params.length > 256 << 10;
      return {
        number: at + 1,
        server: 'demo',
        method,
        params: clipped ? params.slice(0, 256 << 10) : params,
        clipped,
        size: params.length,
        asked: Date.now() - 8000 + at,
        call: null,
        task: null,
      };
    });
  }

  commands(): Part<
    'list_questions' | 'answer_question' | 'check_answer' | 'refuse_questions' | 'look_at_link' | 'open_link'
  > {
    return {
      list_questions: () => ({ questions: this.open }),
      answer_question: ({ number }) => {
        this.find(number);
        this.keep((each) => each.number !== number);
        return {};
      },
      check_answer: ({ number, content }) => {
        const asked = JSON.parse(this.find(number).params ?? '{}') as { requestedSchema?: unknown };
        return checkSchema(JSON.stringify(asked.requestedSchema ?? {}), content);
      },
      refuse_questions: ({ server }) => {
        const refused = this.open.filter((each) => each.server === server).length;
        this.keep((each) => each.server !== server);
        return { refused };
      },
      look_at_link: ({ number }) => {
        const { url } = JSON.parse(this.find(number).params ?? '{}') as { url: string };
        const { protocol, hostname, href } = new URL(url);
        return {
          url: href,
          host: hostname,
          warnings: hostname.includes('xn--')
            ? ['the host has letters that may look like others: `exаmple.com` is `xn--exmple-4nf.com`']
            : [],
          refusal: protocol === 'https:' ? null : `an address of the kind \`${protocol}\` is not opened`,
        };
      },
      open_link: () => ({}),
    };
  }

  private find(number: number): Question {
    return (
      this.open.find((each) => each.number === number) ??
      this.whole.fail('unknown-question', `no question ${number}`)
    );
  }

  private keep(which: (question: Question) => boolean): void {
    this.open = this.open.filter(which);
    this.revision += 1;
    this.whole.changed();
  }
}

const form = (message: string, properties: unknown, required: string[] = []): [string, unknown] => [
  'elicitation/create',
  { mode: 'form', message, requestedSchema: { type: 'object', properties, required } },
];

const fakeAsked: Record<string, [string, unknown]> = {
  form: form(
    'Which seat should I book from Oslo to Bergen?\nThe train leaves at 08:25.\u200b Nothing is paid yet.',
    {
      name: { type: 'string', title: 'Name on the ticket', minLength: 2, default: 'Ada Lovelace' },
      email: { type: 'string', format: 'email', description: 'Where the ticket goes' },
      seats: { type: 'integer', minimum: 1, maximum: 9, default: 1 },
      quiet: { type: 'boolean', title: 'Quiet car', default: true },
      class: { type: 'string', enum: ['first', 'second'], default: 'second' },
      side: {
        type: 'string',
        oneOf: [
          { const: 'l', title: 'Fjord side' },
          { const: 'r', title: 'Mountain side' },
        ],
      },
      meal: { type: 'string', enum: ['n', 'v', 'f'], enumNames: ['None', 'Vegetarian', 'Fish of the day'] },
      extras: { type: 'array', items: { type: 'string', enum: ['bike', 'dog', 'wifi'] }, default: ['wifi'] },
      date: { type: 'string', format: 'date' },
    },
    ['name', 'seats', 'email'],
  ),
  page: [
    'elicitation/create',
    {
      mode: 'url',
      message: 'Please sign in to your account so that I can read your calendar',
      url: 'https://accounts.example.com/oauth/authorize?client_id=0123456789abcdef&redirect_uri=https%3A%2F%2Fdemo.example%2Fback&scope=calendar.read%20calendar.write&state=6f1e8b',
      elicitationId: '550e8400',
    },
  ],
  alike: [
    'elicitation/create',
    {
      mode: 'url',
      message: 'Sign in',
      url: 'https://accounts.example.org@exаmple.com/login',
      elicitationId: '1',
    },
  ],
  file: [
    'elicitation/create',
    { mode: 'url', message: 'Look at this', url: 'file:///etc/passwd', elicitationId: '2' },
  ],
  secret: form('Log in to continue', {
    user: { type: 'string' },
    password: { type: 'string', format: 'password' },
    apiKey: { type: 'string', title: 'API key' },
  }),
  nested: form('Where do you live?', {
    address: { type: 'object', properties: { street: { type: 'string' }, zip: { type: 'string' } } },
    age: { type: ['integer', 'null'] },
  }),
  long: form(
    Array.from({ length: 500 }, (_, line) => `שורה ${line}: אין כאן מה לראות, <button>Accept</button>`).join(
      '\n',
    ),
    { sure: { type: 'boolean', default: true } },
  ),
  many: form(
    'Ten thousand fields',
    Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`f${at}`, {}])),
  ),
  clipped: form('A megabyte', { text: { type: 'string', default: 'd'.repeat(1 << 20) } }),
  sampling: [
    'sampling/createMessage',
    {
      systemPrompt: 'You are a travel planner. Answer in one sentence.',
      messages: [{ role: 'user', content: { type: 'text', text: 'Which seat should I book?' } }],
      maxTokens: 1000,
    },
  ],
};
