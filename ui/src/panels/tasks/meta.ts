import type { ShortcutGroup } from '../shortcuts';

export const tasks: ShortcutGroup = {
  title: 'Tasks',
  shortcuts: [
    { keys: ['↑', '↓', 'j', 'k'], what: 'Look at the previous or next task' },
    { keys: ['⏎'], what: 'Ask for the result of the task' },
    { keys: ['r'], what: 'Ask for the list again' },
  ],
};
