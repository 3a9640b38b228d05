/** A text of which the core handed over only the beginning, and how many bytes it left out. */
export type Beginning = { text: string; left: number };

/** The beginning, where the core cut a text, which it says at the end. No JSON ends like that; a name may. */
export function beginningOf(text: string): Beginning | null {
  const found = /… \(([0-9]+) more bytes are in the log\)$/.exec(text);
  return found === null ? null : { text: text.slice(0, found.index), left: Number(found[1]) };
}

/** Whether a list, which has long names and addresses by their beginning, means this one. */
export function means(listed: string, whole: string): boolean {
  if (listed === whole) return true;
  const beginning = beginningOf(listed);
  return beginning !== null && whole.startsWith(beginning.text);
}
