import { apiError, type Backend } from '../backend/backend';
import type {
  ApiError,
  Changes,
  ResourceDetail,
  ResourceList,
  ResourceSummary,
  ServerSummary,
  TemplateDetail,
  TemplateList,
  TemplateSummary,
} from '../backend/bindings';
import { beginningOf, means } from '../json/beginning';
import { member, readJson, stringOf } from '../json/read';
import { nothing, type Apply } from './apply';
import { catalogKey } from './catalog.svelte';
import type { Follower } from './follower';
import { Reads, type Gate } from './resource-reads.svelte';
import { Subscriptions } from './subscriptions.svelte';
import { TemplateDraft } from './template-draft.svelte';
import { requireWhole } from './whole';

/** What is looked at: an entry of a list, or an address that is in none. */
export type Choice =
  | { kind: 'resource'; index: number; uri: string }
  | { kind: 'template'; index: number; uri: string }
  | { kind: 'address'; uri: string };

/** What the selected server has to read: resources, templates, subscriptions, and what was read of them. */
export class Resources implements Follower {
  server = $state<string | null>(null);
  list = $state.raw<ResourceSummary[]>([]);
  templates = $state.raw<TemplateSummary[]>([]);
  complete = $state(true);
  /** Why a listing stopped early or could not be had. */
  problems = $state.raw<{ resources: string | null; templates: string | null }>(noProblems);
  loaded = $state(false);
  filter = $state('');
  /** What of the tree the person folded or unfolded, by the beginning that its addresses share. */
  folds = $state.raw<ReadonlyMap<string, boolean>>(new Map());
  choice = $state.raw<Choice | null>(null);
  /** Everything about the chosen entry; none until it arrived. */
  detail = $state.raw<ResourceDetail | null>(null);
  templateDetail = $state.raw<TemplateDetail | null>(null);
  detailError = $state.raw<ApiError | null>(null);
  /** What is filled into the chosen template. */
  draft = $state.raw<TemplateDraft | null>(null);
  readonly reads: Reads;
  readonly subscriptions: Subscriptions;

  private readonly words = $derived(this.filter.toLowerCase().split(/\s+/).filter(Boolean));
  private readonly haystacks = $derived(
    this.list.map(({ uri, name, title, description, mime_type }) =>
      haystack(uri, name, title, description, mime_type),
    ),
  );
  private readonly templateHaystacks = $derived(
    this.templates.map(({ uri_template, name, title, description, mime_type }) =>
      haystack(uri_template, name, title, description, mime_type),
    ),
  );
  readonly shown = $derived(matching(this.list, () => this.haystacks, this.words));
  readonly shownTemplates = $derived(matching(this.templates, () => this.templateHaystacks, this.words));
  /** Addresses that more than one entry has: the window then shows their places too. */
  readonly repeated = $derived.by(() => {
    // An entry without an address has its problem to be told by.
    const seen = new Set<string>();
    return new Set(
      this.list.map(({ uri }) => uri).filter((uri) => uri !== '' && (seen.has(uri) || !seen.add(uri))),
    );
  });
  /** Whether the server said that it has none, which a listing that failed or is not over does not say. */
  readonly none = $derived(
    this.loaded &&
      this.complete &&
      this.problems.resources === null &&
      this.problems.templates === null &&
      this.list.length + this.templates.length === 0,
  );
  readonly resource = $derived(this.entry(this.list, 'resource'));
  readonly template = $derived(this.entry(this.templates, 'template'));
  /** The address that would be read now; none while a template gives none, or only its beginning is known. */
  readonly uri = $derived.by(() => {
    if (this.choice?.kind === 'template') return this.draft?.uri ?? null;
    const listed = this.choice?.uri ?? null;
    return this.detail?.uri ?? (listed === null || beginningOf(listed) !== null ? null : listed);
  });

  /** What the lists were fetched for: server, whether it is ready, and the revision of its catalog. */
  private key = '';
  private generation = 0;
  /** What the person looked at last on each server: places move when a list changes, so it is found by address. */
  private readonly last = new Map<string, Choice>();
  private readonly drafts = new Map<string, TemplateDraft>();
  /** When an update last made us read, and the next time that it may. */
  private readByUpdate = 0;
  private later: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly backend: Backend) {
    this.reads = new Reads(backend);
    this.subscriptions = new Subscriptions(backend);
  }

  async prepare(server: ServerSummary | null, changes: Changes | null): Promise<Apply> {
    // Whoever looks again may have missed the end of what was running.
    const ended = changes?.calls ?? this.reads.running.map((call) => call.id);
    const applies = await Promise.all([
      this.prepareLists(server),
      this.subscriptions.prepare(server),
      this.reads.prepare(ended),
    ]);
    return () => {
      for (const apply of applies) apply();
      this.readAgain();
    };
  }

  async select(choice: Choice): Promise<void> {
    const server = this.server;
    if (server === null) return;
    const key = this.key;
    this.last.set(server, choice);
    this.choice = choice;
    this.subscriptions.refusal = null;
    this.show(undescribed);
    this.draft = this.draftOf(server, choice);
    const opened = this.reads.open(server, this.looked());
    const described = await this.describe(server, choice);
    if (this.server === server && this.choice === choice && this.key === key) {
      this.show(described);
      // A template has its own text whole only now, and so has a very long address.
      this.draft = this.draftOf(server, choice);
      await this.reads.open(server, this.looked());
    }
    await opened;
    this.readAgain();
  }

  /** Shows an address, listed or not. */
  async look(uri: string): Promise<void> {
    await this.select(this.listed(this.list, { kind: 'address', uri }));
  }

  /** Looks at an entry without reading it: at once where the lists are here, otherwise as soon as they come. */
  async seek(server: string, kind: 'resource' | 'template', uri: string): Promise<void> {
    // Its place is not known yet; it is found by its address.
    this.last.set(server, { kind, uri, index: -1 });
    const found = this.server === server ? this.choose(server, this.list, this.templates) : null;
    if (found !== null) await this.select(found);
  }

  /** Shows an address, listed or not, and reads it. */
  async open(server: string, uri: string): Promise<void> {
    // Before its lists are here the server is not shown either; they are searched for it when they come.
    this.last.set(server, { kind: 'address', uri });
    const shown = this.server === server ? this.look(uri) : undefined;
    await Promise.all([shown, this.ask(server, uri, 'keep', 'person')]);
  }

  /** Reads what is looked at. */
  async read(gate: Gate = 'keep'): Promise<void> {
    const { server, draft } = this;
    if (server === null) return;
    const uri = draft === null ? this.uri : await draft.expand();
    // Meanwhile somebody may have typed on, or looked elsewhere.
    if (uri === null || this.server !== server || this.draft !== draft) return;
    if (draft !== null) draft.used = uri;
    await this.ask(server, uri, gate, 'person');
  }

  async subscribe(): Promise<void> {
    const { server, uri, draft } = this;
    if (server === null || uri === null) return;
    if (draft !== null) draft.used = uri;
    // What is subscribed to is what is shown, so that an update has a place to appear in.
    await Promise.all([this.reads.open(server, uri), this.subscriptions.subscribe(server, uri)]);
  }

  async unsubscribe(uri: string): Promise<void> {
    if (this.server !== null) await this.subscriptions.unsubscribe(this.server, uri);
  }

  setRereads(uri: string, on: boolean): void {
    this.subscriptions.setRereads(uri, on);
    this.readAgain();
  }

  /** Reads what is shown again if it changed since; one read at a time, and one for all updates meanwhile. */
  private readAgain(): void {
    const uri = this.reads.uri;
    if (this.server === null || uri === null || this.reads.busy || !this.subscriptions.due(uri)) return;
    // A server that tells of an update whenever it is read must not keep us reading.
    const wait = this.readByUpdate + leastPause - Date.now();
    if (wait > 0) {
      clearTimeout(this.later);
      this.later = setTimeout(() => this.readAgain(), wait);
      return;
    }
    this.readByUpdate = Date.now();
    void this.ask(this.server, uri, 'keep', 'update');
  }

  private async ask(server: string, uri: string, gate: Gate, by: 'person' | 'update'): Promise<void> {
    this.subscriptions.caughtUp(uri);
    await this.reads.start(server, uri, gate, by);
    this.readAgain();
  }

  /** The address whose reads are shown: of a template the one that it was last used for. */
  private looked(): string | null {
    return this.draft === null ? this.uri : this.draft.used;
  }

  private async prepareLists(server: ServerSummary | null): Promise<Apply> {
    const generation = (this.generation += 1);
    const key = catalogKey(server);
    if (key === this.key) return nothing;
    if (server === null || server.state !== 'ready') {
      return () => {
        if (generation !== this.generation) return;
        this.key = key;
        // What was listed and read stays in sight when its server goes; only another server clears it.
        if (server === null || server.id !== this.server) this.replace(server, key, empty, null, undescribed);
      };
    }
    const [resources, templates] = await Promise.all([
      this.listResources(server.id),
      this.listTemplates(server.id),
    ]);
    const choice = this.choose(server.id, resources.resources, templates.templates);
    const described = choice === null ? undescribed : await this.describe(server.id, choice);
    return () => {
      // Another server was chosen in the meantime.
      if (generation !== this.generation) return;
      // So was perhaps another entry, and what was found out about the old one is of no use.
      const now = this.choose(server.id, resources.resources, templates.templates);
      const same = JSON.stringify(now) === JSON.stringify(choice);
      this.replace(server, key, { resources, templates }, now, same ? described : undescribed);
      if (!same && now !== null) void this.select(now);
    };
  }

  private replace(
    server: ServerSummary | null,
    key: string,
    lists: Lists,
    choice: Choice | null,
    described: Described,
  ): void {
    if (this.server !== (server?.id ?? null)) {
      this.filter = '';
      this.folds = new Map();
    }
    this.server = server?.id ?? null;
    this.key = key;
    this.list = lists.resources.resources;
    this.templates = lists.templates.templates;
    this.complete = lists.resources.complete && lists.templates.complete;
    this.problems = { resources: lists.resources.problem, templates: lists.templates.problem };
    this.loaded = server?.state === 'ready';
    this.choice = choice;
    this.show(described);
    this.draft = this.server === null || choice === null ? null : this.draftOf(this.server, choice);
    void this.reads.open(this.server, this.looked());
  }

  private show(described: Described): void {
    this.detail = described.resource;
    this.templateDetail = described.template;
    this.detailError = described.error;
  }

  private async listResources(server: string): Promise<ResourceList> {
    try {
      return await this.backend.call('list_resources', { server });
    } catch (thrown) {
      return { ...empty.resources, problem: apiError(thrown).message };
    }
  }

  private async listTemplates(server: string): Promise<TemplateList> {
    try {
      return await this.backend.call('list_templates', { server });
    } catch (thrown) {
      return { ...empty.templates, problem: apiError(thrown).message };
    }
  }

  private async describe(server: string, choice: Choice): Promise<Described> {
    try {
      if (choice.kind === 'resource') {
        const resource = await this.backend.call('describe_resource', { server, index: choice.index });
        requireWhole('address', resource.uri);
        return { ...undescribed, resource };
      }
      if (choice.kind === 'template') {
        const template = await this.backend.call('describe_template', { server, index: choice.index });
        return { ...undescribed, template };
      }
      return undescribed;
    } catch (thrown) {
      return { ...undescribed, error: apiError(thrown) };
    }
  }

  /** What was looked at, wherever it stands now; else the first that can be read. */
  private choose(server: string, resources: ResourceSummary[], templates: TemplateSummary[]): Choice | null {
    const last = this.last.get(server);
    if (last !== undefined && last.kind !== 'template') return this.listed(resources, last);
    // What nobody chose is held on to only as long as it is listed.
    const wanted = last ?? (this.server === server ? this.choice : null);
    if (wanted?.kind === 'template') {
      const same = templates.filter((each) => means(each.uri_template, wanted.uri));
      const template = same.find((each) => each.index === wanted.index) ?? same[0];
      if (template !== undefined) return templateChoice(template);
    } else if (wanted !== null) {
      const listed = this.listed(resources, wanted);
      if (listed.kind === 'resource') return listed;
    }
    const first = resources.find((each) => each.problem === null) ?? resources[0];
    if (first !== undefined) return resourceChoice(first);
    return templates[0] === undefined ? null : templateChoice(templates[0]);
  }

  /** The entry with that address, the same one where there are several; the bare address where there is none. */
  private listed(resources: ResourceSummary[], { uri, ...rest }: Choice): Choice {
    const index = 'index' in rest ? rest.index : null;
    const same = (each: ResourceSummary): boolean => means(each.uri, uri);
    const found = resources.find((each) => each.index === index && same(each)) ?? resources.find(same);
    return found === undefined ? { kind: 'address', uri } : resourceChoice(found);
  }

  private entry<T extends { index: number }>(list: T[], kind: 'resource' | 'template'): T | null {
    const { choice } = this;
    if (choice === null || choice.kind !== kind) return null;
    return list.find((each) => each.index === choice.index) ?? null;
  }

  private draftOf(server: string, choice: Choice): TemplateDraft | null {
    if (choice.kind !== 'template') return null;
    const text = wholeTemplate(choice.uri, this.templateDetail?.definition ?? '');
    if (text === null) return null;
    const key = JSON.stringify([server, text]);
    const known = this.drafts.get(key) ?? new TemplateDraft(this.backend, server, text);
    this.drafts.set(key, known);
    return known;
  }
}

export function resourceChoice({ index, uri }: ResourceSummary): Choice {
  return { kind: 'resource', index, uri };
}

export function templateChoice({ index, uri_template }: TemplateSummary): Choice {
  return { kind: 'template', index, uri: uri_template };
}

type Lists = { resources: ResourceList; templates: TemplateList };
type Described = {
  resource: ResourceDetail | null;
  template: TemplateDetail | null;
  error: ApiError | null;
};

const undescribed: Described = { resource: null, template: null, error: null };
const noProblems = { resources: null, templates: null };
const empty: Lists = {
  resources: { resources: [], complete: true, problem: null },
  templates: { templates: [], complete: true, problem: null },
};

/** The least time between two reads that updates make, in milliseconds. */
const leastPause = 500;

/** Of a long template the list has only the beginning, and the definition the whole, once it is here. */
function wholeTemplate(listed: string, definition: string): string | null {
  if (beginningOf(listed) === null) return listed;
  const whole = stringOf(member(readJson(definition).value, 'uriTemplate'));
  return whole !== null && means(listed, whole) ? whole : null;
}

function haystack(...texts: (string | null)[]): string {
  return texts
    .map((text) => text ?? '')
    .join('\n')
    .toLowerCase();
}

/** The texts to search are made only once somebody searches. */
function matching<T>(list: T[], haystacks: () => string[], words: string[]): T[] {
  if (words.length === 0) return list;
  const texts = haystacks();
  return list.filter((_, place) => words.every((word) => texts[place]?.includes(word)));
}
