/** A key and what it does, as the help shows it. */
export type Shortcut = { keys: string[]; what: string };
export type ShortcutGroup = { title: string; shortcuts: Shortcut[] };
