import { readJson, type JsonProblem } from '../json/read';
import { compact, pretty } from '../json/write';
import { absent, buildArguments, initialValues, readArguments, type Value, type Values } from './arguments';
import { readForm, type Field, type Form } from './field';

/** Arguments being written, as fields and as JSON text, each kept in step with the other. */
export class Draft {
  readonly form: Form;
  fields = $state.raw<Field[]>([]);
  values = $state.raw<Values>(new Map());
  /** The text of JSON mode. */
  text = $state('');
  mode = $state<'form' | 'json' | 'schema'>('form');
  /** What is missing is complained about only once a call was tried. */
  tried = $state(false);

  private readonly built = $derived(buildArguments(this.fields, this.values));
  private readonly reading = $derived(readJson(this.text));
  readonly textProblem = $derived<JsonProblem | null>(this.reading.problem);

  constructor(readonly schema: string | null) {
    this.form = readForm(schema);
    this.fields = this.form.fields;
    this.values = initialValues(this.form);
    this.text = prettyText(buildArguments(this.fields, this.values).text);
    if (this.form.whole !== null) this.mode = 'json';
  }

  /** Whether the JSON text is what a call sends: always where there are no fields. */
  private get fromText(): boolean {
    return this.mode === 'json' || this.form.whole !== null;
  }

  set(field: Field, value: Value): void {
    this.values = new Map([...this.values, [field.name, value]]);
    this.text = prettyText(this.built.text);
  }

  setText(text: string): void {
    this.text = text;
    const { value, problem } = readJson(text);
    if (problem !== null) return;
    const read = readArguments(this.form, value);
    if (read === null) return;
    this.fields = read.fields;
    this.values = read.values;
  }

  problemOf(field: Field): string | null {
    const untouched = (this.values.get(field.name) ?? absent).state === 'absent';
    if (untouched && !this.tried) return null;
    return this.built.problems.get(field.name) ?? null;
  }

  /** What the schema finds wrong; a call can be made all the same. */
  get problems(): number {
    return this.fromText ? 0 : this.built.problems.size;
  }

  /** The arguments to send, one line of JSON; none while they are no JSON object. */
  get sendable(): string | null {
    if (!this.fromText) return this.built.sendable ? this.built.text : null;
    const { value, problem } = this.reading;
    return problem === null && value.kind === 'object' ? compact(value) : null;
  }
}

function prettyText(text: string): string {
  const { value, problem } = readJson(text);
  return problem === null ? pretty(value) : text;
}
