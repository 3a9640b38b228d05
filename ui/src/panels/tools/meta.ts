import type { ShortcutGroup } from '../shortcuts';

export const tools: ShortcutGroup = {
  title: 'Tools',
  shortcuts: [
    { keys: ['/'], what: 'Filter the tools' },
    { keys: ['↑', '↓'], what: 'Look at the previous or next tool' },
    { keys: ['Esc'], what: 'Clear the filter; once more: show all tools again' },
    { keys: ['Ctrl ⏎'], what: 'Call the tool' },
    { keys: ['Ctrl S'], what: 'Save the arguments of the tool under a name' },
  ],
};
