/** What the window remembers between starts: sizes and choices, never content. */
export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(`sonde.${key}`);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`sonde.${key}`, value);
  } catch {
    // Storage may be full or off; the next start then has the defaults.
  }
}
