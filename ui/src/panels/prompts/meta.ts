import type { ShortcutGroup } from '../shortcuts';

export const prompts: ShortcutGroup = {
  title: 'Prompts',
  shortcuts: [
    { keys: ['/'], what: 'Filter the prompts' },
    { keys: ['↑', '↓'], what: 'Look at the previous or next prompt' },
    { keys: ['Ctrl ⏎'], what: 'Get the prompt' },
    { keys: ['Alt ↓'], what: 'Suggestions for an argument: ↑ and ↓ mark, ⏎ takes, Esc closes' },
  ],
};
