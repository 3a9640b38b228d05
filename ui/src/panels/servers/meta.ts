import type { ShortcutGroup } from '../shortcuts';

export const servers: ShortcutGroup = {
  title: 'Servers',
  shortcuts: [{ keys: ['↑', '↓', 'j', 'k'], what: 'Look at the previous or next server' }],
};
