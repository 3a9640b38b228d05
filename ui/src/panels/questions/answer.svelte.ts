import type { Question } from '../../backend/bindings';
import { Draft } from '../../forms/draft.svelte';
import { lookUp } from '../../forms/look-up';
import { memberOf, text } from '../../forms/value';
import { readJson, type JsonNode } from '../../json/read';
import { compact, pretty } from '../../json/write';
import type { Questions } from '../../model/questions.svelte';
import { readQuestion, type Asked } from './asked';
import type { Unseen } from './sight';

/** The answers that were begun, kept while the person looks at something else. */
export class Answers {
  private readonly begun = new Map<string, Answer>();

  of(question: Question): Answer {
    const key = `${question.number} ${question.clipped}`;
    // An answer outlives the strip that first shows it, and so must what it derives.
    if (!this.begun.has(key)) $effect.root(() => void this.begun.set(key, new Answer(question)));
    return this.begun.get(key) as Answer;
  }

  /** Forgets what was typed for questions that are over. */
  keep(questions: readonly Question[]): void {
    const open = new Set(questions.map(({ number }) => String(number)));
    for (const key of this.begun.keys()) if (!open.has(key.split(' ')[0] ?? '')) this.begun.delete(key);
  }
}

/** One question as it was read, and the answer to it that is being written. Nothing is sent from here. */
export class Answer {
  readonly asked: Asked;
  /** The `content` of an accepted form. */
  readonly draft: Draft | null = null;
  /** The whole result, where it is written by hand. */
  text = $state('');
  /** What the person can't have seen yet. */
  unseen = $state<Unseen>('unknown');

  private readonly written = $derived(readJson(this.text));
  /** The result that accepting sends, one line of JSON; none while there is nothing to send. */
  readonly result = $derived.by<string | null>(() => {
    if (this.asked.kind === 'page') return '{"action":"accept"}';
    if (this.draft !== null)
      return this.draft.sendable === null ? null : `{"action":"accept","content":${this.draft.sendable}}`;
    const { value, problem } = this.written;
    return problem === null && value.kind === 'object' ? compact(value) : null;
  });
  /** The same to be read, with passwords covered. */
  readonly review = $derived.by(() => {
    const { asked, draft, result } = this;
    const root = draft?.root;
    if (result === null || asked.kind !== 'form' || asked.covered.size === 0 || root?.kind !== 'object')
      return result;
    const members = root.members.map((each) =>
      asked.covered.has(each.key) ? { ...each, value: text('••••') } : each,
    );
    return `{"action":"accept","content":${compact({ kind: 'object', members })}}`;
  });
  /** Why there is nothing to send. */
  readonly problem = $derived.by<string | null>(() => {
    if (this.result !== null) return null;
    const found = this.draft === null ? this.written.problem : this.draft.textProblem;
    if (found !== null && (this.draft === null || this.draft.mode === 'json'))
      return `The answer is not JSON yet: line ${found.line}, column ${found.column}: ${found.message}`;
    return this.draft !== null && this.draft.root.kind === 'object'
      ? 'A field has something in it that is no value'
      : 'The answer must be a JSON object';
  });

  constructor(readonly question: Question) {
    this.asked = readQuestion(question);
    if (this.asked.kind === 'form') this.draft = begin(this.asked.schema);
    else if (this.asked.kind === 'other') this.text = skeletonOf(question.method);
  }

  /** Whether the schema finds something wrong with what would be sent. */
  get wrong(): number {
    return this.draft?.judged === true ? this.draft.problems.count : 0;
  }

  /** Asks what the schema finds wrong; false where the answer is another one by then. */
  async check(questions: Questions): Promise<boolean> {
    const { draft } = this;
    const content = draft?.sendable ?? null;
    if (draft === null || draft.judged) return true;
    if (content === null) return false;
    draft.judge(content, ...(await questions.check(this.question, content)));
    return draft.sendable === content;
  }
}

/** A draft with every default in it, of optional fields too: who changes nothing sends what was proposed. */
function begin(schema: JsonNode | undefined): Draft {
  const draft = new Draft(schema === undefined ? null : compact(schema));
  const properties = lookUp(schema, 'properties');
  if (properties?.kind !== 'object') return draft;
  const named = new Map(properties.members.map(({ key, value }) => [key, value]));
  const members = [...named].flatMap(([key, field]) => {
    const value = memberOf(draft.root, key) ?? lookUp(field, 'default');
    return value === undefined ? [] : [{ key, value, duplicate: false }];
  });
  if (members.length > 0) draft.setText(pretty({ kind: 'object', members }));
  return draft;
}

/** What an answer looks like. That of a form is no JSON before somebody has written what it says. */
function skeletonOf(method: string): string {
  if (method === 'elicitation/create') return '{\n  "action": "accept",\n  "content": \n}';
  return method === 'sampling/createMessage'
    ? `{
  "role": "assistant",
  "content": { "type": "text", "text": "" },
  "model": "by hand",
  "stopReason": "endTurn"
}`
    : '{}';
}
