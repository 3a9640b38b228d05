/** Where a key leads in a list of rows, from the row that one is at; null where it leads nowhere. */
export function rowFor(event: KeyboardEvent, at: number, total: number, page: number): number | null {
  // In a field, letters and the ends of the text are its own.
  if (event.target instanceof HTMLInputElement && !/^(Arrow|Page)/.test(event.key)) return null;
  const places: Record<string, number> = {
    ArrowDown: at + 1,
    j: at + 1,
    ArrowUp: at - 1,
    k: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: total - 1,
  };
  const to = places[event.key];
  return to === undefined ? null : Math.max(0, Math.min(to, total - 1));
}
