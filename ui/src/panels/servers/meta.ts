import type { ShortcutGroup } from '../shortcuts';

export const servers: ShortcutGroup = {
  title: 'Servers',
  shortcuts: [
    { keys: ['↑', '↓', 'j', 'k'], what: 'Look at the previous or next server' },
    { keys: ['Alt ↑', 'Alt ↓'], what: 'Move the server, or the group, up or down' },
    { keys: ['Shift F10'], what: 'Open the menu of the server' },
    { keys: ['F2'], what: 'Edit the server, or rename the group' },
    { keys: ['Del'], what: 'Remove the server, after asking' },
  ],
};
