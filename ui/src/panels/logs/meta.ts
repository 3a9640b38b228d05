import type { ShortcutGroup } from '../shortcuts';

export const logs: ShortcutGroup = {
  title: 'Logs of a server',
  shortcuts: [
    { keys: ['/'], what: 'Find in the lines' },
    { keys: ['↑', '↓', 'j', 'k'], what: 'Look at the previous or next line' },
    { keys: ['g', 'G'], what: 'Go to the oldest line, to the newest and follow' },
    { keys: ['⏎'], what: 'In the field: find at once and go to the lines' },
    { keys: ['Esc'], what: 'Close the line, then clear the filter' },
  ],
};
