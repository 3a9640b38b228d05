import { apiError, type Backend } from '../backend/backend';
import type {
  ApiError,
  Difference,
  DraftReach,
  DraftReport,
  DraftText,
  DraftValue,
  FieldProblem,
  Saved,
  ServerDraft,
  Target,
} from '../backend/bindings';
import { draftChanges } from './draft-changes';
import { splitLine, type ShellLine } from './shell-words';

/** An argument being written. One that was only just added and never typed into is not yet one. */
export type ArgumentRow = { key: number; text: string; fresh: boolean };

/** A variable or a header being written. Of a secret that is kept nothing is shown, ever. */
export type ValueRow = {
  key: number;
  name: string;
  /** The name that it has in the file. */
  was: string | null;
  text: string;
  secret: boolean;
  kept: boolean;
  /** A secret that stands in the file in clear: it stays there, or moves into the keyring when the form is saved. */
  clear: 'stays' | 'moves' | null;
};

/** A server as a person writes it down. Whatever is typed is checked by the core, which starts nothing. */
export class ServerForm {
  name = $state('');
  kind = $state<'command' | 'url'>('command');
  command = $state('');
  args = $state<ArgumentRow[]>([]);
  folder = $state('');
  env = $state<ValueRow[]>([]);
  /** Names with spaces between them. */
  passthrough = $state('');
  url = $state('');
  dialect = $state('auto');
  headers = $state<ValueRow[]>([]);
  retries = $state('');
  enabled = $state(true);
  autoStart = $state(false);
  reconnect = $state(false);
  failIfNoTools = $state(false);
  timeout = $state('');
  connectTimeout = $state('');
  ping = $state('');
  target = $state<Target>('project');

  report = $state.raw<DraftReport | null>(null);
  /** Whether the report is of what stands in the fields now. */
  checking = $state(false);
  saving = $state(false);
  refusal = $state.raw<ApiError | null>(null);
  /** What the file has now, where that is no longer what this form was filled from. */
  theirs = $state.raw<ServerDraft | null>(null);
  /** What was taken apart last, to be put back. */
  beforeSplit = $state.raw<Pasted | null>(null);
  /** Fields that the person has been in; before that nobody is told that they are empty. */
  touched = $state.raw<ReadonlySet<string>>(new Set());

  /** The entry as it was last read; none of a new server. Its `seen` stands for it: the core overwrites no other one. */
  private base: ServerDraft | null;
  private initial = '';
  private keys = 0;
  private generation = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  readonly draft = $derived.by(() => this.read('with secrets'));
  readonly dirty = $derived(JSON.stringify(this.draft) !== this.initial);
  readonly hasSecrets = $derived(
    (this.kind === 'command' ? this.env : this.headers).some((row) => row.secret),
  );
  /** What stands in the way of saving that needs no core to see. */
  readonly complete = $derived(
    this.name.trim() !== '' && (this.kind === 'command' ? this.command : this.url).trim() !== '',
  );

  constructor(
    private readonly backend: Backend,
    /** The server that is edited; none for a new one. */
    readonly replaces: string | null,
    draft: ServerDraft | null,
    target: Target,
  ) {
    this.target = target;
    this.base = draft;
    if (draft !== null) this.fill(draft);
    this.initial = JSON.stringify(this.draft);
  }

  /** Asks the core what this would be, once nobody has typed for a moment. The newest question wins. */
  check(): void {
    const draft = this.read('without secrets');
    const generation = (this.generation += 1);
    clearTimeout(this.timer);
    // What was refused was something else.
    this.refusal = null;
    this.checking = true;
    this.timer = setTimeout(() => void this.ask(generation, draft), pause);
  }

  async save(): Promise<Saved | null> {
    this.touched = new Set(['*']);
    this.refusal = null;
    if (!this.complete || this.saving || this.theirs !== null) return null;
    this.saving = true;
    try {
      return await this.backend.call('save_draft', {
        draft: { ...this.draft, ...(this.base?.seen === undefined ? {} : { seen: this.base.seen }) },
        ...(this.replaces === null ? {} : { replaces: this.replaces }),
        target: this.target,
      });
    } catch (thrown) {
      this.refusal = apiError(thrown);
      if (this.refusal.code === 'conflict') await this.readAgain();
      return null;
    } finally {
      this.saving = false;
    }
  }

  /** Where the file differs from what this form was filled from. */
  get changesOnDisk(): Difference[] {
    return this.theirs === null || this.base === null ? [] : draftChanges(this.base, this.theirs);
  }

  /** Looks at the entry again: what nobody has changed here follows it, and what somebody has is never run over by it. */
  async readAgain(): Promise<void> {
    if (this.replaces === null || this.base === null) return;
    let latest: ServerDraft;
    try {
      latest = await this.backend.call('read_draft', { server: this.replaces });
    } catch {
      // It can't be read now, or is gone; saving it says so.
      return;
    }
    if (draftChanges(this.base, latest).length === 0) {
      this.base = latest;
      this.theirs = null;
    } else if (this.dirty) this.theirs = latest;
    else this.refill(latest);
  }

  /** Gives up what was typed for what the file has. */
  takeTheirs(): void {
    if (this.theirs !== null) this.refill(this.theirs);
  }

  /** What was typed is to be written over what the file has. */
  keepMine(): void {
    if (this.theirs === null) return;
    this.base = this.theirs;
    this.theirs = null;
  }

  touch(field: string): void {
    if (!this.touched.has(field)) this.touched = new Set([...this.touched, field]);
  }

  /** What is wrong anywhere, as far as the person has been there. */
  get told(): FieldProblem[] {
    return (this.report?.problems ?? []).filter(
      ({ field }) =>
        field === '' ||
        this.touched.has('*') ||
        [...this.touched].some((each) => each === field || aliases[each] === field),
    );
  }

  /** What is wrong with a field, once the person has been there. */
  problemsOf(field: string): string[] {
    if (!this.touched.has('*') && !this.touched.has(field)) return [];
    const missing =
      (field === 'name' && this.name.trim() === '') ||
      (field === 'command' && this.kind === 'command' && this.command.trim() === '') ||
      (field === 'url' && this.kind === 'url' && this.url.trim() === '');
    if (missing) return [field === 'url' ? 'an address is needed' : `a ${field} is needed`];
    return (this.report?.problems ?? [])
      .filter((problem) => problem.field === field || problem.field === aliases[field])
      .map((problem) => problem.message);
  }

  addArgument(after: number = this.args.length - 1): number {
    const row = { key: (this.keys += 1), text: '', fresh: true };
    this.args.splice(after + 1, 0, row);
    return row.key;
  }

  addValue(rows: ValueRow[]): number {
    const row = this.newRow('', '');
    rows.push(row);
    return row.key;
  }

  /** Whether an argument or the address has a secret in clear, which only the file shows. */
  get hasMarks(): boolean {
    return this.kind === 'command'
      ? this.args.some((row) => row.text.search(mark) >= 0)
      : this.url.search(mark) >= 0;
  }

  /** Lets the secrets in clear among the arguments and in the address move into the keyring when the form is saved. */
  moveMarks(): void {
    const moved = (text: string): string => text.replaceAll(mark, (_, name: string) => `\${secret:${name}}`);
    if (this.kind === 'url') this.url = moved(this.url);
    else for (const row of this.args) row.text = moved(row.text);
  }

  /** Takes a whole line apart into command, arguments and variables. Says why where it can't be. */
  split(text: string): string | null {
    const { line, problem } = splitLine(text);
    if (line === null) return problem;
    this.beforeSplit = { command: this.command, args: this.argsNow(), env: $state.snapshot(this.env), line };
    this.command = line.command;
    this.args = this.rows(line.args);
    for (const { name, text: value } of line.env) {
      const known = this.env.find((row) => row.name === name);
      if (known !== undefined) Object.assign(known, { text: value, kept: false, clear: null });
      else this.env.push(this.newRow(name, value));
    }
    return null;
  }

  unsplit(): void {
    if (this.beforeSplit === null) return;
    this.command = this.beforeSplit.command;
    this.args = this.rows(this.beforeSplit.args);
    this.env = this.beforeSplit.env;
    this.beforeSplit = null;
  }

  private async ask(generation: number, draft: ServerDraft): Promise<void> {
    try {
      const report = await this.launchable(await this.backend.call('check_draft', draft), draft);
      if (generation !== this.generation) return;
      this.report = report;
      this.markSecrets(report.secret_fields);
    } catch (thrown) {
      if (generation === this.generation)
        this.report = {
          id: null,
          launch: null,
          problems: [{ field: '', message: apiError(thrown).message }],
          risks: [],
          secret_fields: [],
        };
    } finally {
      if (generation === this.generation) this.checking = false;
    }
  }

  /** A time that can't be read does not change what is launched, so that stays in sight. */
  private async launchable(report: DraftReport, draft: ServerDraft): Promise<DraftReport> {
    const timesOnly =
      report.problems.length > 0 && report.problems.every(({ field }) => times.includes(field));
    if (report.launch !== null || !timesOnly) return report;
    const without = { ...draft, timeout: null, connect_timeout: null, ping: null };
    const { launch, risks, id } = await this.backend.call('check_draft', without);
    return { ...report, launch, risks, id };
  }

  private refill(draft: ServerDraft): void {
    this.base = draft;
    this.theirs = null;
    this.beforeSplit = null;
    this.fill(draft);
    this.initial = JSON.stringify(this.draft);
  }

  /** What is kept as a secret when it is saved is shown as one. */
  private markSecrets(fields: string[]): void {
    for (const [field, rows] of [
      ['env', this.env],
      ['headers', this.headers],
    ] as const)
      for (const row of rows) if (fields.includes(`${field}.${row.name.trim()}`)) row.secret = true;
  }

  private fill(draft: ServerDraft): void {
    this.name = draft.name;
    this.kind = draft.reach.kind;
    if (draft.reach.kind === 'command') {
      this.command = draft.reach.command;
      this.args = this.rows(draft.reach.args);
      this.folder = draft.reach.folder ?? '';
      this.env = draft.reach.env.map((value) => this.valueRow(value));
      this.passthrough = draft.reach.env_passthrough.join(' ');
    } else {
      this.url = draft.reach.url;
      this.dialect = draft.reach.dialect;
      this.headers = draft.reach.headers.map((value) => this.valueRow(value));
      this.retries = draft.reach.retries === null ? '' : String(draft.reach.retries);
    }
    this.enabled = draft.enabled;
    this.autoStart = draft.auto_start;
    this.reconnect = draft.reconnect;
    this.failIfNoTools = draft.fail_if_no_tools;
    this.timeout = draft.timeout ?? '';
    this.connectTimeout = draft.connect_timeout ?? '';
    this.ping = draft.ping ?? '';
  }

  private rows(args: string[]): ArgumentRow[] {
    return args.map((text) => ({ key: (this.keys += 1), text, fresh: false }));
  }

  private newRow(name: string, text: string): ValueRow {
    return { key: (this.keys += 1), name, was: null, text, secret: false, kept: false, clear: null };
  }

  private valueRow({ name, value }: DraftValue): ValueRow {
    return {
      ...this.newRow(name, value.kind === 'plain' ? value.text : ''),
      was: name,
      secret: value.kind !== 'plain',
      kept: value.kind === 'secret',
      clear: value.kind === 'clear' ? 'stays' : null,
    };
  }

  private argsNow(): string[] {
    return this.args.filter((row) => !(row.fresh && row.text === '')).map((row) => row.text);
  }

  /** A value that nobody needs for a check stays in the page. */
  private read(secrets: 'with secrets' | 'without secrets'): ServerDraft {
    const text = (row: ValueRow): DraftText =>
      !row.secret
        ? { kind: 'plain', text: row.text }
        : row.clear === 'stays'
          ? { kind: 'clear' }
          : row.kept || row.clear === 'moves' || row.text === '' || secrets === 'without secrets'
            ? { kind: 'secret' }
            : { kind: 'secret', value: row.text };
    const values = (rows: ValueRow[]): DraftValue[] =>
      rows
        .filter((row) => row.name.trim() !== '' || row.text !== '')
        .map((row) => {
          const name = row.name.trim();
          return {
            name,
            value: text(row),
            ...(row.was === null || row.was === name ? {} : { was: row.was }),
          };
        });
    const retries = Number(this.retries);
    const reach: DraftReach =
      this.kind === 'command'
        ? {
            kind: 'command',
            command: this.command.trim(),
            args: this.argsNow(),
            folder: given(this.folder),
            env: values(this.env),
            env_passthrough: this.passthrough.split(/[\s,]+/).filter(Boolean),
          }
        : {
            kind: 'url',
            url: this.url.trim(),
            dialect: this.dialect,
            headers: values(this.headers),
            retries: this.retries.trim() !== '' && Number.isInteger(retries) && retries >= 0 ? retries : null,
          };
    return {
      name: this.name.trim(),
      reach,
      enabled: this.enabled,
      auto_start: this.autoStart,
      timeout: given(this.timeout),
      connect_timeout: given(this.connectTimeout),
      fail_if_no_tools: this.failIfNoTools,
      reconnect: this.reconnect,
      ping: given(this.ping),
    };
  }
}

type Pasted = { command: string; args: string[]; env: ValueRow[]; line: ShellLine };

/** What stands in the place of a secret that the file has in clear. */
const mark = /‹in clear: ([^›]+)›/g;

/** Milliseconds without typing before the core is asked. */
const pause = 150;

const times = ['timeout', 'connect_timeout', 'ping'];

/** The same field under the name that files have for it. */
const aliases: Record<string, string> = { folder: 'cwd', passthrough: 'env_passthrough' };

function given(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}
