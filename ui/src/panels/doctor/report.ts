import type { Examination, StepOutcome, Verdict } from '../../backend/bindings';
import { duration } from '../../components/format';
import type { Status } from '../status';

export const verdicts: Record<Verdict, Status> = {
  well: { glyph: '✓', word: 'well', tone: 'ok' },
  odd: { glyph: '▲', word: 'odd', tone: 'warn' },
  ill: { glyph: '✗', word: 'ill', tone: 'err' },
};

export const outcomes: Record<StepOutcome, Status> = {
  ...verdicts,
  skipped: { glyph: '·', word: 'skipped', tone: 'dim' },
};

/** The whole examination as plain text, to be put into a letter to whoever wrote the server. */
export function report(found: Examination): string {
  const steps = found.steps.flatMap((step) => [
    `  ${outcomes[step.outcome].glyph} ${step.name}: ${step.found}${step.ms === null ? '' : ` (${duration(step.ms)})`}`,
    ...step.facts.map((fact) => `      ${fact.name}: ${indented(fact.value, 8)}`),
  ]);
  const error =
    found.error === null
      ? []
      : [
          '',
          `${found.error.title}: ${found.error.message}`,
          ...found.error.context.map((fact) => `  ${fact.name}: ${indented(fact.value, 4)}`),
        ];
  return [
    `Doctor of ${found.server}: ${found.verdict}`,
    found.summary,
    ...(found.fix === null ? [] : [`fix: ${found.fix}`]),
    ...error,
    ...section('Steps', steps),
    ...section(
      'PATH',
      found.path.map((entry) => `  ${entry.folder} (${entry.source}${entry.exists ? '' : ', not there'})`),
    ),
    ...section(
      'Environment',
      found.environment.map((fact) => `  ${fact.name}=${fact.value} (${fact.source})`),
    ),
    ...section(
      'stderr',
      found.stderr_tail.map((line) => `  ${line}`),
    ),
    '',
  ].join('\n');
}

function section(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines];
}

function indented(text: string, by: number): string {
  return text.split('\n').join(`\n${' '.repeat(by)}`);
}
