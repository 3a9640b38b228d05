import { apiError, type Backend } from '../backend/backend';
import type {
  ApiError,
  Changes,
  Completions,
  PromptArgument,
  PromptDetail,
  PromptList,
  PromptSummary,
  ServerSummary,
} from '../backend/bindings';
import { nothing, type Apply } from './apply';
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
export class Prompts implements Follower {
  server = $state<string | null>(null);
  list = $state.raw<PromptSummary[]>([]);
  complete = $state(true);
  /** Why the listing stopped early or could not be had. */
  problem = $state<string | null>(null);
  loaded = $state(false);
  filter = $state('');
  selected = $state<number | null>(null);
  detail = $state.raw<PromptDetail | null>(null);
  detailError = $state.raw<ApiError | null>(null);
  readonly calls: TargetCalls;

  private readonly haystacks = $derived(
    this.list.map((each) => `${each.name}\n${each.title ?? ''}\n${each.description ?? ''}`.toLowerCase()),
  );
  readonly shown = $derived.by(() => {
    const words = this.filter.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return this.list;
    return this.list.filter((_, place) => words.every((word) => this.haystacks[place]?.includes(word)));
  });
  /** Names that more than one entry has: the window then shows their places too. */
  readonly repeated = $derived.by(() => {
    const seen = new Set<string>();
    return new Set(this.list.map((each) => each.name).filter((name) => seen.has(name) || !seen.add(name)));
  });
  /** Whether the server said that it has none, which a listing that failed or is not over does not say. */
  readonly none = $derived(this.loaded && this.complete && this.problem === null && this.list.length === 0);
  readonly current = $derived(this.list.find((each) => each.index === this.selected) ?? null);

  /** What the list was fetched for: server, whether it is ready, and the revision of its catalog. */
  private key = '';
  private generation = 0;
  /** What was looked at last on each server, by name: indexes move when a list changes. */
  private readonly lastNames = new Map<string, string>();
  private readonly drafts = new Map<string, PromptDraft>();

  constructor(private readonly backend: Backend) {
    this.calls = new TargetCalls(backend, 'prompts/get');
  }

  async prepare(server: ServerSummary | null, changes: Changes | null): Promise<Apply> {
    const [list, calls] = await Promise.all([this.prepareList(server), this.prepareCalls(changes)]);
    return () => {
      list();
      calls();
    };
  }

  async select(index: number): Promise<void> {
    if (this.server === null) return;
    const { server, key } = this;
    this.selected = index;
    this.show(null);
    if (this.current !== null) this.lastNames.set(server, this.current.name);
    const calls = this.openCalls();
    const described = await this.describe(server, index);
    if (this.server === server && this.selected === index && this.key === key) this.show(described);
    await calls;
  }

  /** Looks at a prompt by its name: at once where its list is here, otherwise as soon as it comes. */
  async seek(server: string, name: string): Promise<void> {
    this.lastNames.set(server, name);
    const found = this.server === server ? this.list.find((each) => each.name === name) : undefined;
    if (found !== undefined) await this.select(found.index);
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

  private async prepareList(server: ServerSummary | null): Promise<Apply> {
    const generation = (this.generation += 1);
    const key = keyOf(server);
    if (key === this.key) return nothing;
    if (server === null || server.state !== 'ready') {
      return () => {
        if (generation !== this.generation) return;
        this.key = key;
        // What was listed and got stays in sight when its server goes; only another server clears it.
        if (server === null || server.id !== this.server) this.replace(server, key, emptyList, null, null);
      };
    }
    let list = emptyList;
    let problem: string | null = null;
    try {
      list = await this.backend.call('list_prompts', { server: server.id });
    } catch (thrown) {
      problem = apiError(thrown).message;
    }
    const chosen = this.choose(server.id, list.prompts);
    const described = chosen === null ? null : await this.describe(server.id, chosen.index);
    return () => {
      // Another server was chosen in the meantime.
      if (generation !== this.generation) return;
      const now = this.choose(server.id, list.prompts);
      const known = now === chosen ? described : null;
      this.replace(server, key, { ...list, problem: problem ?? list.problem }, now, known);
      // So was another prompt.
      if (now !== null && now !== chosen) void this.select(now.index);
    };
  }

  private async prepareCalls(changes: Changes | null): Promise<Apply> {
    if (changes !== null) return this.calls.prepare(changes.calls);
    await this.calls.reload();
    return nothing;
  }

  private replace(
    server: ServerSummary | null,
    key: string,
    list: PromptList,
    chosen: PromptSummary | null,
    described: Described | null,
  ): void {
    if (this.server !== (server?.id ?? null)) this.filter = '';
    this.server = server?.id ?? null;
    this.key = key;
    this.list = list.prompts;
    this.complete = list.complete;
    this.problem = list.problem;
    this.loaded = server?.state === 'ready';
    this.selected = chosen?.index ?? null;
    if (chosen !== null && server !== null) this.lastNames.set(server.id, chosen.name);
    this.show(described);
    void this.openCalls();
  }

  private show(described: Described | null): void {
    this.detail = described?.detail ?? null;
    this.detailError = described?.error ?? null;
  }

  private openCalls(): Promise<void> {
    return this.calls.open(this.server, this.current?.name ?? null);
  }

  private async describe(server: string, index: number): Promise<Described> {
    try {
      return { detail: await this.backend.call('describe_prompt', { server, index }), error: null };
    } catch (thrown) {
      return { detail: null, error: apiError(thrown) };
    }
  }

  private choose(server: string, prompts: PromptSummary[]): PromptSummary | null {
    const name = this.lastNames.get(server);
    const same = prompts.find(
      (each) => each.index === this.selected && each.name === name && this.server === server,
    );
    return (
      same ??
      prompts.find((each) => each.name === name) ??
      prompts.find((each) => each.problem === null) ??
      prompts[0] ??
      null
    );
  }
}

type Described = { detail: PromptDetail | null; error: ApiError | null };

function keyOf(server: ServerSummary | null): string {
  return JSON.stringify([server?.id, server?.state === 'ready', server?.catalog_revision]);
}

const emptyList: PromptList = { prompts: [], complete: true, problem: null };
