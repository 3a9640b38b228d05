import type { Difference, DraftText, ServerDraft } from '../backend/bindings';
import { joinLine } from './shell-words';

/** Where two readings of one entry differ, a line for each field. Of a secret only that it is one is said. */
export function draftChanges(before: ServerDraft, after: ServerDraft): Difference[] {
  const old = fields(before);
  const now = fields(after);
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((field) => ({ field, before: old.get(field) ?? null, after: now.get(field) ?? null }))
    .filter((each) => each.before !== each.after);
}

function fields(draft: ServerDraft): Map<string, string> {
  const { reach } = draft;
  const own: [string, string | null][] =
    reach.kind === 'command'
      ? [
          ['command', reach.command],
          ['args', reach.args.length === 0 ? null : joinLine(reach.args[0] ?? '', reach.args.slice(1))],
          ['folder', reach.folder],
          ...reach.env.map(({ name, value }): [string, string] => [`env.${name}`, word(value)]),
          ['passed on', reach.env_passthrough.join(' ') || null],
        ]
      : [
          ['url', reach.url],
          ['transport', reach.dialect],
          ...reach.headers.map(({ name, value }): [string, string] => [`headers.${name}`, word(value)]),
          ['retries', reach.retries === null ? null : String(reach.retries)],
        ];
  const others: [string, string | null][] = [
    ['name', draft.name],
    ['enabled', yes(draft.enabled)],
    ['auto_start', yes(draft.auto_start)],
    ['reconnect', yes(draft.reconnect)],
    ['fail_if_no_tools', yes(draft.fail_if_no_tools)],
    ['timeout', draft.timeout],
    ['connect_timeout', draft.connect_timeout],
    ['ping', draft.ping],
  ];
  return new Map([...own, ...others].filter((each): each is [string, string] => each[1] !== null));
}

const yes = (is: boolean): string => (is ? 'yes' : 'no');

function word(value: DraftText): string {
  return value.kind === 'plain' ? value.text : 'a secret';
}
