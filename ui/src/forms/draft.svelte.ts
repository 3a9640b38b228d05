import { readJson, type JsonNode, type JsonProblem } from '../json/read';
import { compact, pretty } from '../json/write';
import type { Picker } from './gather';
import { foldedAtFirst } from './outline';
import { Pace } from './pace.svelte';
import { Problems, type Found } from './problems';
import { openSchema, type Place, type SchemaBook } from './schema';
import { shapeOf, type Kind, type Shape } from './shape';
import { addedValue, startOf } from './start';
import { emptyObject, pointerOf, replaced, unfinished, type Path } from './value';
import { inVariant } from './variant';

/** Arguments being written, as fields and as JSON text, each kept in step with the other. The value is one tree. */
export class Draft {
  /** The schema, or null where there is none to make a form of. */
  readonly book: SchemaBook | null;
  /** Why the arguments are one piece of JSON instead of fields, if they are. */
  readonly whole: string | null;
  /** How fast its fields are drawn. */
  readonly pace: Pace;
  root = $state.raw<JsonNode>(emptyObject);
  /** What was typed in JSON mode, until a field changes. */
  private written = $state<string | null>(null);
  mode = $state<'form' | 'json' | 'schema'>('form');
  /** What is missing is complained about only once a call was tried. */
  tried = $state(false);

  private wanted = $state.raw<ReadonlyMap<string, Kind | 'json'>>(new Map());
  private chosen = $state.raw<ReadonlyMap<string, number>>(new Map());
  private folds = $state.raw<ReadonlyMap<string, boolean>>(new Map());
  private verdict = $state.raw<Verdict>(unknown);
  /** What a variant had when another was chosen, so that a look at another costs nothing. */
  private readonly left = new Map<string, JsonNode>();

  private readonly loose = $derived(unfinished(this.root));
  /** The text of JSON mode, written only where somebody looks at it. */
  readonly text = $derived(this.written ?? pretty(this.root));
  readonly textProblem = $derived<JsonProblem | null>(
    this.written === null && this.loose.length === 0 ? null : readJson(this.text).problem,
  );
  readonly problems = $derived(new Problems(this.root, this.loose, this.verdict.violations, this.tried));

  constructor(readonly schema: string | null) {
    const { book, reason } = openSchema(schema);
    this.book = book;
    this.pace = new Pace(schema?.length ?? 0);
    this.whole = book === null ? reason : null;
    if (book === null) this.mode = 'json';
    else this.root = startOf(book, [book.root], { kind: 'object' }) ?? emptyObject;
    this.fold();
  }

  /** The arguments to send, one line of JSON; none while they are no JSON object. */
  readonly sendable = $derived.by<string | null>(() => {
    if (this.fromText && this.textProblem !== null) return null;
    return this.loose.length === 0 && this.root.kind === 'object' ? compact(this.root) : null;
  });

  /** Why nothing was checked, if nothing was. */
  get note(): string | null {
    return this.verdict.text === this.sendable ? this.verdict.note : null;
  }

  /** Whether the core has spoken of just these arguments. */
  get judged(): boolean {
    return this.verdict.text !== null && this.verdict.text === this.sendable;
  }

  /** What the core says of the arguments in `text`; of what they are no more, nobody wants to know. */
  judge(text: string, violations: readonly Found[], note: string | null): void {
    if (text === this.sendable) this.verdict = { text, violations, note };
  }

  /** Opens everything that has something wrong in it. */
  reveal(): void {
    const open = new Map(this.folds);
    for (const pointer of this.problems.pointers) {
      const steps = pointer.split('/');
      for (let end = 1; end < steps.length; end += 1) open.set(steps.slice(0, end).join('/'), false);
    }
    this.folds = open;
    // Whoever asked for this is taken to the first of them.
    this.pace.hurry();
  }

  /** Replaces one part; nothing takes it away. `order` is the order of the fields beside it. */
  change(path: Path, part: JsonNode | undefined, order: readonly string[] = []): void {
    this.root = replaced(this.root, path, part, order) ?? emptyObject;
    this.written = null;
    this.verdict = { ...unknown, violations: beyond(this.verdict.violations, pointerOf(path)) };
  }

  setText(text: string): void {
    this.written = text;
    const { value, problem } = readJson(text);
    if (problem !== null) return;
    this.root = value;
    this.wanted = new Map();
    this.chosen = new Map();
    this.fold();
  }

  shape(places: readonly Place[], path: Path, value: JsonNode | undefined): Shape | null {
    const pointer = pointerOf(path);
    return this.book === null
      ? null
      : shapeOf(this.book, places, value, (id) => this.chosen.get(`${pointer} ${id}`) ?? null);
  }

  wantedAt(path: Path): Kind | 'json' | null {
    return this.wanted.get(pointerOf(path)) ?? null;
  }

  /** Shows a part as another kind. Its value stays if it can. */
  want(path: Path, kind: Kind | 'json' | null): void {
    // All fields look at what is wanted, and this is asked with every keystroke.
    if (kind === this.wantedAt(path)) return;
    const wanted = new Map(this.wanted);
    if (kind === null) wanted.delete(pointerOf(path));
    else wanted.set(pointerOf(path), kind);
    this.wanted = wanted;
  }

  isFolded(path: Path): boolean {
    return this.folds.get(pointerOf(path)) ?? false;
  }

  setFolded(path: Path, folded: boolean): void {
    this.folds = new Map([...this.folds, [pointerOf(path), folded]]);
  }

  /** Chooses another variant: what both have stays, and what only the other had comes back with it. */
  pick(
    path: Path,
    places: readonly Place[],
    value: JsonNode | undefined,
    picker: Picker,
    variant: number,
  ): void {
    if (this.book === null || variant === picker.chosen) return;
    const key = `${pointerOf(path)} ${picker.id}`;
    const before = this.shape(places, path, value);
    if (value !== undefined) this.left.set(`${key} ${picker.chosen}`, value);
    this.chosen = new Map([...this.chosen, [key, variant]]);
    this.want(path, null);
    const after = this.shape(places, path, undefined);
    const kept = this.left.get(`${key} ${variant}`);
    if (value === undefined || before === null || after === null) return;
    const chosen = new Map([[picker.id, variant]]);
    const start = addedValue(this.book, places, { chosen });
    const { book } = this;
    const isFixed = (name: string): boolean =>
      shapeOf(book, after.members.get(name) ?? [], undefined, () => null).choices?.length === 1;
    this.change(path, kept ?? inVariant(value, start, before, after, isFixed));
  }

  /** What stands by a pointer may be another thing now: choices below it are made again by its value. */
  forget(path: Path): void {
    const below = `${pointerOf(path)}/`;
    const others = <T>(map: ReadonlyMap<string, T>): Map<string, T> =>
      new Map([...map].filter(([key]) => !key.startsWith(below)));
    [this.wanted, this.chosen, this.folds] = [others(this.wanted), others(this.chosen), others(this.folds)];
  }

  private get fromText(): boolean {
    return this.mode === 'json' || this.whole !== null;
  }

  private fold(): void {
    this.folds = new Map(foldedAtFirst(this.book, this.root).map((pointer) => [pointer, true]));
  }
}

type Verdict = { text: string | null; violations: readonly Found[]; note: string | null };

const unknown: Verdict = { text: null, violations: [], note: null };

/** What was found elsewhere: of a part that changed nothing is known. */
function beyond(found: readonly Found[], pointer: string): readonly Found[] {
  return found.filter(({ place }) => place !== pointer && !place.startsWith(`${pointer}/`));
}
