import type { ShortcutGroup } from '../shortcuts';

export const tools: ShortcutGroup = {
  title: 'Tools',
  shortcuts: [
    { keys: ['/'], what: 'Filter the tools' },
    { keys: ['↑', '↓'], what: 'Look at the previous or next tool' },
    { keys: ['Ctrl ⏎'], what: 'Call the tool' },
  ],
};
