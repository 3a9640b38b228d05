import type { Draft } from '../../forms/draft.svelte';
import { readJson } from '../../json/read';
import { pretty } from '../../json/write';
import { OptionsDraft } from './options.svelte';

/** What was typed for each tool, kept while one looks at another; a tool whose schema changed starts anew. */
export class Drafts {
  private readonly drafts = new Map<string, ToolDraft>();

  /** `begin` makes a new one: forms are loaded when the first tool is shown. */
  of(server: string, index: number, name: string, schema: string | null, begin: Begin): ToolDraft {
    const key = JSON.stringify([server, index, name]);
    const kept = this.drafts.get(key);
    if (kept !== undefined && kept.draft.schema === schema) return kept;
    // A draft outlives the panel that first shows it, and so must what it derives.
    $effect.root(() => {
      this.drafts.set(key, new ToolDraft(begin(schema), kept?.options ?? new OptionsDraft()));
    });
    return this.drafts.get(key) as ToolDraft;
  }
}

/** The arguments of one tool and how they are to be sent. */
export class ToolDraft {
  /** Where the arguments came from, unless a person typed them. */
  source = $state<'empty' | 'last sent' | null>('empty');
  /** The text that was checked last, its variables filled in. */
  checked = $state<string | null>(null);
  /** Whether the arguments that were last sent were asked for. */
  private recalled = false;
  /** What the arguments are before anyone touches them. */
  private readonly begun: string;
  /** What they are if nobody typed since they were put there. */
  private untouched: { root: Draft['root']; text: string };

  constructor(
    readonly draft: Draft,
    readonly options: OptionsDraft,
  ) {
    this.begun = draft.text;
    this.untouched = { root: draft.root, text: draft.text };
  }

  get touched(): boolean {
    // A text that is no JSON yet changes nothing but itself.
    return this.draft.root !== this.untouched.root || this.draft.text !== this.untouched.text;
  }

  /** Begins with the arguments that were last sent, the first time it is looked at and unless somebody was quicker. */
  async recall(ask: () => Promise<string | null>): Promise<void> {
    if (this.recalled) return;
    this.recalled = true;
    const text = await ask();
    if (text === null || this.touched) return;
    this.fill(text);
    this.source = 'last sent';
  }

  /** Replaces the arguments by others, as JSON. */
  fill(text: string): void {
    this.draft.setText(pretty(readJson(text).value));
    this.draft.tried = false;
    this.untouched = { root: this.draft.root, text: this.draft.text };
    this.source = null;
  }

  startEmpty(): void {
    this.fill(this.begun);
    this.source = 'empty';
  }
}

export type Begin = (schema: string | null) => Draft;
