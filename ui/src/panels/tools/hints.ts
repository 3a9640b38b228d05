import type { ToolSummary } from '../../backend/bindings';
import { lookAlike } from '../../components/look-alike';
import { offersTask } from './options.svelte';

/** A word about a tool, and who says so. */
export type Badge = { word: string; tone: 'plain' | 'ok' | 'warn' | 'err'; title: string };

const claim = "The server's own claim";

/** What a list has room for, the most important first. */
export function listBadges(tool: ToolSummary): Badge[] {
  return [...stateBadges(tool), ...claims(tool).filter(({ said }) => said)].map(plain);
}

/** Everything that is known of a tool or claimed by it, what it denies too. */
export function allBadges(tool: ToolSummary): Badge[] {
  return [...stateBadges(tool), ...claims(tool)].map(plain);
}

function stateBadges({ name, problem, change }: ToolSummary): Badge[] {
  const disguise = lookAlike(name);
  return [
    ...(problem === null ? [] : [badge('invalid', 'err', "This entry can't be called")]),
    ...(change === 'changed'
      ? [badge('changed', 'warn', 'It is not what it was when you last looked')]
      : change === 'new'
        ? [badge('new', 'ok', 'It was not there when you last looked')]
        : []),
    ...(disguise === null ? [] : [badge(disguise.word, 'warn', disguise.reason)]),
  ];
}

/** The harm that a tool may do comes first; what it denies is told only where there is room. */
function claims({ hints, task }: ToolSummary): (Badge & { said: boolean })[] {
  return [
    hint(hints.destructive, badge('destructive', 'warn', claim), 'not destructive'),
    ...(offersTask(task)
      ? [
          {
            ...badge(
              'task',
              'plain',
              `${claim}: it ${task === 'required' ? 'runs only' : 'can run'} as a task`,
            ),
            said: true,
          },
        ]
      : []),
    hint(hints.read_only, badge('read only', 'plain', claim), 'not read only'),
    hint(hints.idempotent, badge('idempotent', 'plain', claim), 'not idempotent'),
    hint(hints.open_world, badge('open world', 'plain', claim), 'closed world'),
  ].flatMap((each) => (each === null ? [] : [each]));
}

function hint(value: boolean | null, said: Badge, denied: string): (Badge & { said: boolean }) | null {
  if (value === null) return null;
  return value ? { ...said, said: true } : { ...badge(denied, 'plain', claim), said: false };
}

function badge(word: string, tone: Badge['tone'], title: string): Badge {
  return { word, tone, title };
}

function plain({ word, tone, title }: Badge): Badge {
  return { word, tone, title };
}

/** What became of the tools since the person last looked: `2 tools changed, 1 is new, 3 are gone`. */
export function newsWords({
  changed,
  fresh,
  gone,
}: {
  changed: number;
  fresh: number;
  gone: number;
}): string {
  const tools = (many: number): string => (many === 1 ? '1 tool' : `${many.toLocaleString('en')} tools`);
  const are = (many: number, what: string): string => `${many === 1 ? 'is' : 'are'} ${what}`;
  const parts = [
    ...(changed > 0 ? [[changed, 'changed'] as const] : []),
    ...(fresh > 0 ? [[fresh, are(fresh, 'new')] as const] : []),
    ...(gone > 0 ? [[gone, are(gone, 'gone')] as const] : []),
  ];
  return parts
    .map(([many, what], place) => `${place === 0 ? tools(many) : many.toLocaleString('en')} ${what}`)
    .join(', ');
}
