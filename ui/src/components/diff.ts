/** How two texts differ, line by line, as it is drawn: runs of what is the same are folded. */
export type DiffLine =
  | { kind: 'same' | 'added' | 'removed'; text: string }
  /** Unchanged lines that are not shown until somebody asks; `id` tells one such run from another. */
  | { kind: 'fold'; id: number; count: number };

/** One run of lines, as the package tells it. */
export type Run = { value: string; added: boolean; removed: boolean };

/** Longer than this a run of unchanged lines is folded, but for those beside a change. */
const mostSame = 6;
const beside = 2;

export function diffRows(runs: readonly Run[], opened: ReadonlySet<number>): DiffLine[] {
  const rows: DiffLine[] = [];
  runs.forEach((run, place) => {
    const lines = linesOf(run.value);
    const kind = run.added ? 'added' : run.removed ? 'removed' : 'same';
    const add = (texts: string[]): void => {
      for (const text of texts) rows.push({ kind, text });
    };
    if (kind !== 'same' || lines.length <= mostSame || opened.has(place)) return add(lines);
    // At the ends of the text there is a change on one side only.
    const head = place === 0 ? 0 : beside;
    const tail = place === runs.length - 1 ? 0 : beside;
    add(lines.slice(0, head));
    rows.push({ kind: 'fold', id: place, count: lines.length - head - tail });
    add(lines.slice(lines.length - tail));
  });
  return rows;
}

export function changedLines(runs: readonly Run[]): { added: number; removed: number } {
  const sum = (which: 'added' | 'removed'): number =>
    runs.filter((run) => run[which]).reduce((total, run) => total + linesOf(run.value).length, 0);
  return { added: sum('added'), removed: sum('removed') };
}

/** Characters beyond which a text is compared only in its first part. */
export const longest = 256 * 1024;

/** The first part of a text that is too long to be compared, up to the end of a line where there is one near. */
export function comparable(text: string): { text: string; left: number } {
  if (text.length <= longest) return { text, left: 0 };
  const end = text.lastIndexOf('\n', longest);
  const cut = end > longest / 2 ? end + 1 : longest;
  return { text: text.slice(0, cut), left: text.length - cut };
}

/** That the last line of one text ends and that of the other does not is no difference that anyone means. */
export function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function linesOf(value: string): string[] {
  const lines = value.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
