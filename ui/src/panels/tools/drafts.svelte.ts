import type { Draft } from '../../forms/draft.svelte';

/** What was typed for each tool, kept while one looks at another; a tool whose schema changed starts anew. */
export class Drafts {
  private readonly drafts = new Map<string, Draft>();

  /** `begin` makes a new one: forms are loaded when the first tool is shown. */
  of(server: string, index: number, name: string, schema: string | null, begin: Begin): Draft {
    const key = JSON.stringify([server, index, name]);
    const kept = this.drafts.get(key);
    if (kept !== undefined && kept.schema === schema) return kept;
    // A draft outlives the panel that first shows it, and so must what it derives.
    $effect.root(() => {
      this.drafts.set(key, begin(schema));
    });
    return this.drafts.get(key) as Draft;
  }
}

export type Begin = (schema: string | null) => Draft;
