import { member, readJson, type JsonNode } from '../../json/read';

export type Side = 'server' | 'client';

/** One thing that a side can do, or does not offer. */
export type Capability = {
  /** The dotted path, as in `experimental.tracing`. */
  name: string;
  has: boolean;
  /** In words; names that nobody but the server knows are in it as they are. */
  about: string;
};

/** What a side declared, in words: all that the protocol knows, offered or not, then what only that side knows. */
export function words(text: string, side: Side): Capability[] {
  const declared = readJson(text).value;
  const known = side === 'server' ? ofServer : ofClient;
  return [
    ...known.map(({ name, about }): Capability => {
      const value = member(declared, name);
      return isOffered(value)
        ? { name, has: true, about: about(value) }
        : { name, has: false, about: `no ${name}` };
    }),
    ...named(declared, 'experimental', 'Experimental'),
    ...named(declared, 'extensions', 'Extension'),
    ...offeredIn(declared)
      .filter((name) => !isKnown(name, known))
      .map((name): Capability => ({ name, has: true, about: `Unknown to Sonde: ${name}` })),
  ];
}

/** Whether a side declared a capability of that name. */
export function declares(text: string, name: string): boolean {
  return isOffered(member(readJson(text).value, name));
}

type Known = { name: string; about: (value: JsonNode) => string };

const ofServer: Known[] = [
  { name: 'tools', about: (value) => `Tools${changing(value)}` },
  {
    name: 'resources',
    about: (value) =>
      `Resources${isOffered(member(value, 'subscribe')) ? ' with subscriptions' : ''}${changing(value)}`,
  },
  { name: 'prompts', about: (value) => `Prompts${changing(value)}` },
  { name: 'completions', about: () => 'Completions' },
  { name: 'logging', about: () => 'Logging' },
  { name: 'tasks', about: tasks },
];

const ofClient: Known[] = [
  { name: 'roots', about: (value) => `Roots${changing(value)}` },
  {
    name: 'sampling',
    about: (value) => joined('Sampling', ' with ', offeredOf(value, ['tools', 'context'])),
  },
  {
    name: 'elicitation',
    about: (value) => {
      const by = offeredOf(value, ['form', 'url']).map((mode) => `by ${mode === 'url' ? 'URL' : mode}`);
      // Without a mode it is the form: there was nothing else once.
      return joined('Elicitation', ' ', by.length === 0 ? ['by form'] : by);
    },
  },
  { name: 'tasks', about: tasks },
];

/** What may become a task, by the path of its request. */
const requests: Record<string, string> = {
  'tools.call': 'tool calls',
  'sampling.createMessage': 'sampling',
  'elicitation.create': 'elicitation',
};

function tasks(value: JsonNode): string {
  const asked = member(value, 'requests');
  const kinds = offeredIn(asked).flatMap((area) =>
    offeredIn(member(asked, area)).map((each) => requests[`${area}.${each}`] ?? `${area}/${each}`),
  );
  const parts = [...offeredOf(value, ['list', 'cancel']), ...kinds];
  return parts.length === 0 ? 'Tasks' : `Tasks: ${parts.join(', ')}`;
}

function changing(value: JsonNode): string {
  return isOffered(member(value, 'listChanged')) ? ', and tells when they change' : '';
}

function joined(name: string, by: string, parts: string[]): string {
  return parts.length === 0 ? name : `${name}${by}${parts.join(' and ')}`;
}

function offeredOf(value: JsonNode, names: string[]): string[] {
  return names.filter((name) => isOffered(member(value, name)));
}

function named(declared: JsonNode, group: string, word: string): Capability[] {
  return offeredIn(member(declared, group)).map((name) => ({
    name: `${group}.${name}`,
    has: true,
    about: `${word}: ${name}`,
  }));
}

/** As the core sees it: what is there and is neither false nor null. */
function isOffered(value: JsonNode | undefined): value is JsonNode {
  return value !== undefined && !(value.kind === 'literal' && value.text !== 'true');
}

function isKnown(name: string, known: Known[]): boolean {
  return name === 'experimental' || name === 'extensions' || known.some((each) => each.name === name);
}

/** The names of what is offered, each once however often it is written; the last of them counts. */
function offeredIn(value: JsonNode | undefined): string[] {
  if (value?.kind !== 'object') return [];
  const members = new Map(value.members.map(({ key, value: each }) => [key, each]));
  return [...members].filter(([, each]) => isOffered(each)).map(([name]) => name);
}
