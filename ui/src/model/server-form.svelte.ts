import { apiError, type Backend } from '../backend/backend';
import type {
  ApiError,
  DraftReach,
  DraftReport,
  DraftText,
  DraftValue,
  FieldProblem,
  Saved,
  ServerDraft,
  Target,
} from '../backend/bindings';
import { splitLine, type ShellLine } from './shell-words';

/** An argument being written. One that was only just added and never typed into is not yet one. */
export type ArgumentRow = { key: number; text: string; fresh: boolean };

/** A variable or a header being written. Of a secret that is kept nothing is shown, ever. */
export type ValueRow = { key: number; name: string; text: string; secret: boolean; kept: boolean };

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
  /** What was taken apart last, to be put back. */
  beforeSplit = $state.raw<Pasted | null>(null);
  /** Fields that the person has been in; before that nobody is told that they are empty. */
  touched = $state.raw<ReadonlySet<string>>(new Set());

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
    if (draft !== null) this.fill(draft);
    this.initial = JSON.stringify(this.draft);
  }

  /** Asks the core what this would be, once nobody has typed for a moment. The newest question wins. */
  check(): void {
    const draft = this.read('without secrets');
    const generation = (this.generation += 1);
    clearTimeout(this.timer);
    this.checking = true;
    this.timer = setTimeout(() => void this.ask(generation, draft), pause);
  }

  async save(): Promise<Saved | null> {
    this.touched = new Set(['*']);
    this.refusal = null;
    if (!this.complete || this.saving) return null;
    this.saving = true;
    try {
      return await this.backend.call('save_draft', {
        draft: this.draft,
        ...(this.replaces === null ? {} : { replaces: this.replaces }),
        target: this.target,
      });
    } catch (thrown) {
      this.refusal = apiError(thrown);
      return null;
    } finally {
      this.saving = false;
    }
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
    const row = { key: (this.keys += 1), name: '', text: '', secret: false, kept: false };
    rows.push(row);
    return row.key;
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
      if (known !== undefined) Object.assign(known, { text: value, kept: false });
      else this.env.push({ key: (this.keys += 1), name, text: value, secret: false, kept: false });
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
      const report = await this.backend.call('check_draft', draft);
      if (generation === this.generation) this.report = report;
    } catch (thrown) {
      if (generation === this.generation)
        this.report = {
          id: null,
          launch: null,
          problems: [{ field: '', message: apiError(thrown).message }],
          risks: [],
        };
    } finally {
      if (generation === this.generation) this.checking = false;
    }
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

  private valueRow({ name, value }: DraftValue): ValueRow {
    const secret = value.kind === 'secret';
    return {
      key: (this.keys += 1),
      name,
      text: value.kind === 'plain' ? value.text : '',
      secret,
      kept: secret,
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
        : row.kept || row.text === '' || secrets === 'without secrets'
          ? { kind: 'secret' }
          : { kind: 'secret', value: row.text };
    const values = (rows: ValueRow[]): DraftValue[] =>
      rows
        .filter((row) => row.name.trim() !== '' || row.text !== '')
        .map((row) => ({ name: row.name.trim(), value: text(row) }));
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

/** Milliseconds without typing before the core is asked. */
const pause = 150;

/** The same field under the name that files have for it. */
const aliases: Record<string, string> = { folder: 'cwd', passthrough: 'env_passthrough' };

function given(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}
