import { apiError, type Backend } from '../backend/backend';
import type {
  ApiError,
  Importable,
  ImportChoice,
  Imported,
  ImportRequest,
  ImportSource,
  LookedAt,
  Offer,
  Target,
} from '../backend/bindings';

/** What is done with an entry. */
export type Deed = 'skip' | 'add' | 'rename' | 'replace';

export type Choice = { deed: Deed; name: string };

/** A file of another client, or a text that was pasted or dropped. */
export type Source = {
  id: string;
  title: string;
  /** Where it is; none for a text. */
  file: string | null;
  from: ImportSource;
  offer: Offer;
};

/** Servers that other clients know, and what is to become of each. Looking starts nothing and fetches nothing. */
export class Import {
  sources = $state.raw<Source[]>([]);
  looked = $state.raw<LookedAt[]>([]);
  loaded = $state(false);
  target = $state<Target>('global');
  refusal = $state.raw<ApiError | null>(null);
  working = $state(false);

  /** What was pasted, and why it could not be read. */
  pasted = $state('');
  pasteProblem = $state.raw<ApiError | null>(null);

  /** What the person decided; an entry that is not here is as it was proposed. */
  private decided = $state.raw<ReadonlyMap<string, Choice>>(new Map());
  private texts = 0;
  private generation = 0;

  /** The ids that the chosen entries will have, with the entries that want each. */
  private readonly claims = $derived.by(() => {
    const claims = new Map<string, string[]>();
    for (const { source, entry, place } of this.entries()) {
      const choice = this.choice(source, entry, place);
      if (choice.deed === 'skip') continue;
      const name = choice.deed === 'rename' ? choice.name.trim() : entry.id;
      claims.set(name, [...(claims.get(name) ?? []), keyOf(source, place)]);
    }
    return claims;
  });

  /** Where else was looked, the places of one client together. */
  readonly places = $derived.by(() => {
    const places = new Map<string, string[]>();
    for (const { client, file } of this.looked) places.set(client, [...(places.get(client) ?? []), file]);
    return [...places];
  });

  readonly chosen = $derived(
    this.entries().filter(({ source, entry, place }) => this.choice(source, entry, place).deed !== 'skip')
      .length,
  );
  readonly secrets = $derived(
    this.entries().reduce(
      (sum, { source, entry, place }) =>
        sum + (this.choice(source, entry, place).deed === 'skip' ? 0 : entry.secrets.length),
      0,
    ),
  );
  readonly blocked = $derived(
    this.entries().some(({ source, entry, place }) => this.objection(source, entry, place) !== null),
  );

  constructor(private readonly backend: Backend) {}

  /**
   * Looks for the files of other clients, again each time: they may have changed. Those that Sonde reads as its own
   * have nothing to bring.
   */
  async look(own: readonly (string | null)[] = []): Promise<void> {
    const generation = (this.generation += 1);
    try {
      const { files, looked } = await this.backend.call('find_clients', {});
      if (generation !== this.generation) return;
      const texts = this.sources.filter((source) => source.file === null);
      this.sources = [
        ...texts,
        ...files
          .filter((found) => !own.includes(found.file))
          .map((found) => ({
            id: `file:${found.id}`,
            title: found.client,
            file: found.file,
            from: { kind: 'file' as const, id: found.id },
            offer: found.offer,
          })),
      ];
      this.looked = looked;
      this.refusal = null;
    } catch (thrown) {
      if (generation === this.generation) this.refusal = apiError(thrown);
    }
    this.loaded = true;
  }

  /**
   * Reads a text that was pasted or dropped, and puts what it offers first. `handed` is what stands before it, where
   * the core has that already.
   */
  async read(whole: string, fileName: string | null, handed: string | null = null): Promise<boolean> {
    this.pasteProblem = null;
    if (whole.length > largest) {
      this.pasteProblem = tooLarge(fileName);
      return false;
    }
    try {
      const { text, ...before } = await this.handOver(whole, handed);
      const name = { ...(fileName === null ? {} : { file_name: fileName }), ...before };
      const offer = await this.backend.call('read_offer', { text, ...name });
      const id = `text:${(this.texts += 1)}`;
      const title = fileName ?? 'Pasted text';
      const others = this.sources.filter((source) => source.file !== null || source.title !== title);
      this.sources = [{ id, title, file: null, from: { kind: 'text', text, ...name }, offer }, ...others];
      return true;
    } catch (thrown) {
      this.pasteProblem = apiError(thrown);
      return false;
    }
  }

  /** A text as one request can carry it: what is too long for that goes to the core in parts. */
  private async handOver(text: string, handed: string | null): Promise<{ text: string; handed?: string }> {
    let before = handed;
    let from = 0;
    while (text.length - from > part) {
      const request = { part: text.slice(from, from + part), ...(before === null ? {} : { handed: before }) };
      before = (await this.backend.call('hand_over', request)).handed;
      from += part;
    }
    return { text: text.slice(from), ...(before === null ? {} : { handed: before }) };
  }

  /** Says of files that were dropped why nothing of them is shown, a line each. */
  refuse(reasons: string[]): void {
    this.pasteProblem = unreadable(reasons);
  }

  forget(source: Source): void {
    this.sources = this.sources.filter((each) => each.id !== source.id);
  }

  choice(source: Source, entry: Importable, place: number): Choice {
    return this.decided.get(keyOf(source, place)) ?? this.proposal(source, entry, place);
  }

  decide(source: Source, place: number, choice: Choice): void {
    this.decided = new Map([...this.decided, [keyOf(source, place), choice]]);
  }

  /** Chooses or skips an entry, in the way that it can be had. */
  toggle(source: Source, entry: Importable, place: number): void {
    const { deed, name } = this.choice(source, entry, place);
    this.decide(source, place, { deed: deed === 'skip' ? possible(entry) : 'skip', name });
  }

  /** Chooses all of a source that are not here already; what is skipped keeps the name that was typed for it. */
  chooseAll(source: Source): void {
    source.offer.servers.forEach((entry, place) => {
      const { deed, name } = this.choice(source, entry, place);
      if (deed === 'skip' && entry.conflict?.same !== true)
        this.decide(source, place, { deed: possible(entry), name });
    });
  }

  chooseNone(source: Source): void {
    source.offer.servers.forEach((entry, place) => {
      this.decide(source, place, { deed: 'skip', name: this.choice(source, entry, place).name });
    });
  }

  /** Whether there is anything in a source that `chooseAll` would add. */
  hasMore(source: Source): boolean {
    return source.offer.servers.some(
      (entry, place) => entry.conflict?.same !== true && this.choice(source, entry, place).deed === 'skip',
    );
  }

  chosenOf(source: Source): number {
    return source.offer.servers.filter((entry, place) => this.choice(source, entry, place).deed !== 'skip')
      .length;
  }

  /** Why an entry can't be taken as it is chosen. */
  objection(source: Source, entry: Importable, place: number): string | null {
    const choice = this.choice(source, entry, place);
    if (choice.deed === 'skip') return null;
    const name = choice.deed === 'rename' ? choice.name.trim() : entry.id;
    if (name === '') return 'a name is needed';
    if (choice.deed === 'rename' && entry.conflict !== null && name === entry.conflict.server)
      return 'that name is taken';
    const rivals = (this.claims.get(name) ?? []).filter((key) => key !== keyOf(source, place));
    const rival = this.sources.find((each) => rivals.some((key) => key.startsWith(`${each.id}\n`)));
    if (rival === undefined) return null;
    return `\`${name}\` is chosen ${rival.id === source.id ? 'twice here' : `from ${rival.title} too`}: rename one, or skip it`;
  }

  /** Writes the chosen ones down, source by source. What was written stays written when a later one fails. */
  async run(): Promise<Imported | null> {
    if (this.working || this.blocked || this.chosen === 0) return null;
    this.working = true;
    this.refusal = null;
    const done: Imported = { servers: [], file: '', notices: [] };
    try {
      for (const source of this.sources) {
        const request = this.request(source);
        if (request.choices.length === 0) continue;
        const imported = await this.backend.call('import_servers', request);
        done.servers.push(...imported.servers);
        done.file = imported.file;
        done.notices.push(...imported.notices);
        source.offer.servers.forEach((_, place) => this.decide(source, place, { deed: 'skip', name: '' }));
      }
      this.sources = this.sources.filter((source) => source.file !== null);
      this.pasted = '';
      this.decided = new Map();
      return done;
    } catch (thrown) {
      this.refusal = apiError(thrown);
      return done.servers.length > 0 ? done : null;
    } finally {
      this.working = false;
    }
  }

  private request(source: Source): ImportRequest {
    const choices = source.offer.servers.flatMap((entry, place): ImportChoice[] => {
      const { deed, name } = this.choice(source, entry, place);
      if (deed === 'skip') return [];
      return [
        {
          name: entry.name,
          ...(entry.project === null ? {} : { project: entry.project }),
          ...(deed === 'rename' ? { rename: name.trim() } : {}),
          replace: deed === 'replace',
        },
      ];
    });
    return { source: source.from, choices, target: this.target };
  }

  /**
   * What a person brought here is meant to be taken, if it is new and not there twice; of what was merely found
   * nothing is, least of all servers of another project.
   */
  private proposal(source: Source, entry: Importable, place: number): Choice {
    const name = entry.conflict?.free ?? entry.name;
    if (entry.conflict !== null || entry.project !== null || source.file !== null)
      return { deed: 'skip', name };
    const first = this.entries().find(
      (each) => each.source.file === null && each.entry.id === entry.id && each.entry.conflict === null,
    );
    const own = first?.source.id === source.id && first.place === place;
    return { deed: own ? 'add' : 'skip', name };
  }

  private entries(): { source: Source; entry: Importable; place: number }[] {
    return this.sources.flatMap((source) =>
      source.offer.servers.map((entry, place) => ({ source, entry, place })),
    );
  }
}

function possible(entry: Importable): Deed {
  return entry.conflict === null ? 'add' : 'rename';
}

function keyOf(source: Source, place: number): string {
  return `${source.id}\n${place}`;
}

/** Characters of a text that are read: what the core reads of a file. */
export const largest = 64 * 1024 * 1024;

/** The core takes a request of at most 1 MiB, and a character of JSON is six bytes at most. */
const part = 160 * 1024;

function tooLarge(fileName: string | null): ApiError {
  return {
    code: 'too-large',
    title: 'Too large to be a configuration',
    message: `${fileName === null ? 'the text' : `\`${fileName}\``} is larger than 64 MiB`,
    hint: 'paste the part that has the servers',
    chain: [],
    context: [],
  };
}

function unreadable(reasons: string[]): ApiError {
  return {
    code: 'invalid-request',
    title: reasons.length === 1 ? 'The file could not be read' : `${reasons.length} files could not be read`,
    message: reasons.join('\n'),
    hint: 'paste the part that has the servers',
    chain: [],
    context: [],
  };
}
