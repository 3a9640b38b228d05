import { describe, expect, it } from 'vitest';
import { declares, words, type Side } from './capabilities';

const offered = (value: unknown, side: Side): string[] =>
  words(JSON.stringify(value), side)
    .filter((each) => each.has)
    .map((each) => each.about);
const missing = (value: unknown, side: Side): string[] =>
  words(JSON.stringify(value), side)
    .filter((each) => !each.has)
    .map((each) => each.about);

describe('the capabilities of a server', () => {
  it('are said in words, with what belongs to each', () => {
    expect(
      offered(
        {
          tools: { listChanged: true },
          resources: { subscribe: true, listChanged: false },
          prompts: {},
          completions: {},
          logging: {},
          tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
        },
        'server',
      ),
    ).toEqual([
      'Tools, and tells when they change',
      'Resources with subscriptions',
      'Prompts',
      'Completions',
      'Logging',
      'Tasks: list, cancel, tool calls',
    ]);
    expect(offered({ resources: { subscribe: true, listChanged: true } }, 'server')).toEqual([
      'Resources with subscriptions, and tells when they change',
    ]);
    expect(offered({ tasks: {} }, 'server')).toEqual(['Tasks']);
  });

  it('are named where they are not offered', () => {
    expect(missing({ tools: {}, logging: null, prompts: false }, 'server')).toEqual([
      'no resources',
      'no prompts',
      'no completions',
      'no logging',
      'no tasks',
    ]);
  });

  it('that nobody else knows are there by their names', () => {
    expect(
      offered(
        {
          'x-vendor': {},
          experimental: { tracing: {}, off: false },
          extensions: { 'io.example/ui': {} },
          tasks: { requests: { dreams: { dream: {} } } },
        },
        'server',
      ),
    ).toEqual([
      'Tasks: dreams/dream',
      'Experimental: tracing',
      'Extension: io.example/ui',
      'Unknown to Sonde: x-vendor',
    ]);
    expect(offered({ roots: {} }, 'server'), 'what only clients have').toEqual(['Unknown to Sonde: roots']);
  });
});

it('the capabilities of a client are said in words', () => {
  expect(
    offered(
      {
        roots: { listChanged: true },
        sampling: { tools: {}, context: {} },
        elicitation: { form: {}, url: {} },
        tasks: { requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
      },
      'client',
    ),
  ).toEqual([
    'Roots, and tells when they change',
    'Sampling with tools and context',
    'Elicitation by form and by URL',
    'Tasks: sampling, elicitation',
  ]);
  expect(offered({ sampling: {}, elicitation: {} }, 'client')).toEqual(['Sampling', 'Elicitation by form']);
  expect(offered({ elicitation: { url: {} } }, 'client')).toEqual(['Elicitation by URL']);
  expect(missing({}, 'client')).toEqual(['no roots', 'no sampling', 'no elicitation', 'no tasks']);
});

describe('capabilities that are no such thing', () => {
  it('offer nothing, and never throw', () => {
    for (const text of ['', 'null', '[]', '"tools"', '{"tools"', '{"tasks":{"requests":[1]}}', '7'])
      expect(
        words(text, 'server').filter((each) => each.has && each.name !== 'tasks'),
        text,
      ).toEqual([]);
  });

  it('count what is there and neither false nor null, as the core does', () => {
    expect(declares('{"logging":{}}', 'logging')).toBe(true);
    expect(declares('{"logging":true}', 'logging')).toBe(true);
    expect(declares('{"logging":false}', 'logging')).toBe(false);
    expect(declares('{"logging":null}', 'logging')).toBe(false);
    expect(declares('{"tools":{"logging":{}}}', 'logging')).toBe(false);
  });

  it('are listed once, however often they are written', () => {
    expect(words('{"x":{},"x":{}}', 'server').filter((each) => each.name === 'x')).toHaveLength(1);
  });

  it('keep a name that hides as it is: whoever shows it makes it visible', () => {
    expect(words('{"\u202eevil":{}}', 'server').at(-1)?.about).toBe('Unknown to Sonde: \u202eevil');
  });
});
