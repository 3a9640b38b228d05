import type { ShortcutGroup } from '../shortcuts';

export const resources: ShortcutGroup = {
  title: 'Resources',
  shortcuts: [
    { keys: ['/'], what: 'Filter the resources and templates' },
    { keys: ['↑', '↓'], what: 'Look at the previous or next one' },
    { keys: ['←', '→'], what: 'Fold or unfold a folder of the tree' },
    { keys: ['Ctrl ⏎'], what: 'Read the resource' },
  ],
};
