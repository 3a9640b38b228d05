import type { ApiError, Fact } from '../backend/bindings';

/** The facts of an error, sorted by what a reader does with them. */
export type SortedFacts = {
  /** Who and where: server, file, command. */
  head: Fact[];
  causes: string[];
  /** Texts whose columns mean something, with what they are called; a caret stays below what it points at. */
  texts: { name: string; text: string }[];
  rest: Fact[];
};

const heads = ['server', 'file', 'layer', 'field', 'command', 'url', 'folder'];
const causes = ['likely cause', 'likely causes', 'cause', 'causes'];
const texts = ['context', 'stderr', 'body', 'output', 'searched'];

/** Facts that are sentences of ours: their back-ticks mark literals, where those of a command are part of it. */
export function isSentence(fact: Fact): boolean {
  return fact.name === 'phase' || fact.name === 'changed';
}

export function sortFacts({ context }: ApiError): SortedFacts {
  const named = context.map((fact) => ({ fact, name: fact.name.toLowerCase().replaceAll(/[_-]/g, ' ') }));
  const layer = named.find(({ name }) => name === 'layer')?.fact.value;
  const hasFile = named.some(({ name }) => name === 'file');
  return {
    head: heads.flatMap((wanted) =>
      named.flatMap(({ fact, name }) => {
        if (name !== wanted || (name === 'layer' && hasFile)) return [];
        // File and layer say one thing.
        return name === 'file' && layer !== undefined
          ? [{ name: fact.name, value: `${fact.value} (${layer})` }]
          : [fact];
      }),
    ),
    causes: named
      .filter(({ name }) => causes.includes(name))
      .flatMap(({ fact }) => fact.value.split('\n'))
      .map((line) => line.replace(/^\s*[-•*]\s+/, '').trim())
      .filter(Boolean),
    texts: named
      .filter(({ name }) => texts.includes(name))
      .map(({ fact }) => ({ name: fact.name, text: fact.value.replace(/\n+$/, '') })),
    rest: named.filter(({ name }) => ![...heads, ...causes, ...texts].includes(name)).map(({ fact }) => fact),
  };
}
