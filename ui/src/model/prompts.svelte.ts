import type { Backend } from '../backend/backend';
import type {
  Changes,
  Completions,
  PromptArgument,
  PromptDetail,
  PromptSummary,
  ServerSummary,
} from '../backend/bindings';
import { beginningOf, means } from '../json/beginning';
import { member, readJson, stringOf } from '../json/read';
import { nothing, type Apply } from './apply';
import { Catalog, type Listing } from './catalog.svelte';
import type { Follower } from './follower';
import { TargetCalls } from './target-calls.svelte';

/** What was typed for one prompt. */
export class PromptDraft {
  mode = $state<'form' | 'definition'>('form');
  values = $state.raw<ReadonlyMap<string, string>>(new Map());
  /** The arguments that were said to be missing when the person last wanted to send; null before. */
  private told = $state<string | null>(null);

  set(argument: string, value: string): void {
    this.values = new Map([...this.values, [argument, value]]);
  }

  /** What there is to send: an argument that was left empty is left out. */
  given(wanted: readonly PromptArgument[]): Record<string, string> {
    const names = new Set(wanted.map((argument) => argument.name));
    return Object.fromEntries([...this.values].filter(([name, value]) => names.has(name) && value !== ''));
  }

  missing(wanted: readonly PromptArgument[]): string[] {
    return wanted
      .filter(({ name, required }) => required && (this.values.get(name) ?? '') === '')
      .map(({ name }) => name);
  }

  /** Whether the person was told of just these, and may insist. */
  insists(missing: string[]): boolean {
    return missing.length > 0 && this.told === JSON.stringify(missing);
  }

  get reminded(): boolean {
    return this.told !== null;
  }

  remind(missing: string[]): void {
    this.told = JSON.stringify(missing);
  }

  settle(): void {
    this.told = null;
  }
}

/** The prompts of the selected server, what was typed for them, and what came of them. */
export class Prompts extends Catalog<PromptSummary, PromptDetail> implements Follower {
  readonly calls: TargetCalls;

  protected readonly empty = { entries: [], complete: true, problem: null };
  private readonly drafts = new Map<string, PromptDraft>();

  constructor(backend: Backend) {
    super(backend);
    this.calls = new TargetCalls(backend, 'prompts/get');
  }

  async prepare(server: ServerSummary | null, changes: Changes | null): Promise<Apply> {
    const [list, calls] = await Promise.all([this.prepareList(server), this.prepareCalls(changes)]);
    return () => {
      list();
      calls();
      void this.openCalls();
    };
  }

  override async select(index: number): Promise<void> {
    await Promise.all([super.select(index), this.openCalls()]);
    // A long name is known only now.
    await this.openCalls();
  }

  /** What was typed for a prompt, kept while one looks at another. Two of one name are told apart by their places. */
  draft(prompt: PromptSummary): PromptDraft {
    const place = this.repeated.has(prompt.name) ? prompt.index : null;
    const key = JSON.stringify([this.server, prompt.name, place]);
    const known = this.drafts.get(key) ?? new PromptDraft();
    this.drafts.set(key, known);
    return known;
  }

  /** Sends `prompts/get` with what was typed. `anyway` sends what does not fit the agreement, too. */
  async get(prompt: PromptSummary, gate: 'keep' | 'anyway'): Promise<void> {
    if (this.server === null) return;
    const server = this.server;
    const draft = this.draft(prompt);
    const given = draft.given(prompt.arguments);
    draft.settle();
    await this.calls.start(() =>
      this.backend.call('send_request', {
        server,
        method: 'prompts/get',
        params: JSON.stringify({
          name: prompt.name,
          ...(Object.keys(given).length === 0 ? {} : { arguments: given }),
        }),
        meta: null,
        timeout_ms: null,
        silence_ms: null,
        task: null,
        anyway: gate === 'anyway',
        validate: false,
      }),
    );
  }

  /** What the server suggests for an argument, knowing the others. */
  async suggest(prompt: PromptSummary, argument: string, value: string): Promise<Completions> {
    if (this.server === null) return { values: [], total: null, has_more: false };
    const given = Object.entries(this.draft(prompt).given(prompt.arguments));
    return this.backend.call('complete_argument', {
      server: this.server,
      of: 'prompt',
      name: prompt.name,
      argument,
      value,
      context: Object.fromEntries(given.filter(([name]) => name !== argument)),
    });
  }

  protected async fetch(server: string): Promise<Listing<PromptSummary>> {
    const { prompts, ...rest } = await this.backend.call('list_prompts', { server });
    return { entries: prompts, ...rest };
  }

  protected async describe(server: string, { index }: PromptSummary): Promise<PromptDetail> {
    const detail = await this.backend.call('describe_prompt', { server, index });
    return { ...detail, summary: { ...detail.summary, arguments: wholeArguments(detail) } };
  }

  private async prepareCalls(changes: Changes | null): Promise<Apply> {
    if (changes !== null) return this.calls.prepare(changes.calls);
    await this.calls.reload();
    return nothing;
  }

  private openCalls(): Promise<void> {
    return this.calls.open(this.server, this.name);
  }
}

/** The arguments by their whole names: of a long one the core tells only the beginning, and the definition has the rest. */
function wholeArguments({ summary, definition }: PromptDetail): PromptArgument[] {
  const isCut = ({ name }: PromptArgument): boolean => beginningOf(name) !== null;
  if (!summary.arguments.some(isCut)) return summary.arguments;
  const defined = member(readJson(definition).value, 'arguments');
  const names = defined?.kind === 'array' ? defined.items.map((each) => stringOf(member(each, 'name'))) : [];
  return summary.arguments.flatMap((argument) => {
    const name = names.find((each) => each !== null && means(argument.name, each));
    return typeof name === 'string' ? [{ ...argument, name }] : [];
  });
}
