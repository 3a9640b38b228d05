import type { ShortcutGroup } from '../shortcuts';

export const log: ShortcutGroup = {
  title: 'Log',
  shortcuts: [
    { keys: ['↑', '↓', 'j', 'k'], what: 'Move by one row' },
    { keys: ['g', 'G'], what: 'Go to the oldest row, to the newest and follow' },
    { keys: ['Page ↑', 'Page ↓'], what: 'Move by one page' },
    { keys: ['⏎'], what: 'Open the detail' },
    { keys: ['Esc'], what: 'Close the detail' },
  ],
};
