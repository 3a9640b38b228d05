import { apiError, type Backend } from '../backend/backend';
import type { ApiError, Completions } from '../backend/bindings';
import { beginningOf } from '../json/beginning';

/** What a person fills into one template, and the address that it gives. */
export class TemplateDraft {
  /** By the names of the variables; replaced and never changed. */
  values = $state.raw<ReadonlyMap<string, string>>(new Map());
  /** What the values give, or why they give nothing; a moment behind what is typed. */
  expanded = $state.raw<Expansion | null>(null);
  /** The address that was last read or subscribed to from here. */
  used: string | null = null;

  /** Whether the address is that of the values as they are now. */
  readonly settled = $derived(this.expanded !== null && this.expanded.of === this.values);
  readonly uri = $derived(this.settled ? (this.expanded?.uri ?? null) : null);

  constructor(
    private readonly backend: Backend,
    private readonly server: string,
    readonly template: string,
  ) {}

  set(name: string, value: string): void {
    if ((this.values.get(name) ?? '') === value) return;
    this.values = new Map([...this.values, [name, value]]);
  }

  /** The address of the values as they are now; none where they give none, or where somebody typed on. */
  async expand(): Promise<string | null> {
    const of = this.values;
    if (this.expanded?.of !== of) {
      const expanded = await this.ask(of);
      if (this.values !== of) return null;
      this.expanded = expanded;
    }
    return this.expanded.uri;
  }

  /** What the server proposes for a variable, given the others. */
  async complete(argument: string, value: string): Promise<Completions> {
    // Of a variable with a very long name only the beginning is known, which no server knows.
    if (beginningOf(argument) !== null) return { values: [], total: null, has_more: false };
    return this.backend.call('complete_argument', {
      server: this.server,
      of: 'template',
      name: this.template,
      argument,
      value,
      context: given(new Map([...this.values].filter(([name]) => name !== argument))),
    });
  }

  private async ask(of: ReadonlyMap<string, string>): Promise<Expansion> {
    try {
      const { uri } = await this.backend.call('expand_template', {
        template: this.template,
        values: given(of),
      });
      return { of, uri, problem: null };
    } catch (thrown) {
      return { of, uri: null, problem: apiError(thrown) };
    }
  }
}

export type Expansion = {
  of: ReadonlyMap<string, string>;
  uri: string | null;
  problem: ApiError | null;
};

/** A variable that is left empty is left out. Whatever a server calls its variables, they become members. */
function given(values: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...values].filter(([, value]) => value !== ''));
}
