import { expect, it } from 'vitest';
import { fakeExamination } from '../../backend/fake-doctor';
import { server } from '../../model/stub';
import { report } from './report';

it('a report has the verdict and the fix on top, then everything that was found', () => {
  const text = report(fakeExamination(server({ id: 'postgres' })));
  expect(text.split('\n').slice(0, 3)).toEqual([
    'Doctor of postgres: odd',
    '`postgres` starts and answers, but it writes text where messages belong',
    'fix: let it log to stderr: `--log-to=stderr`',
  ]);
  for (const part of [
    '▲ first byte on stdout: a line that is no message came first (184 ms)',
    'the line: Connected to postgres',
    '/home/ada/.volta/bin (volta, not there)',
    'DATABASE_URL=‹secret:DATABASE_URL› (env, from the keyring)',
    'pool: 4 connections',
  ])
    expect(text, part).toContain(part);
});

it('what there is none of has no heading', () => {
  const text = report(fakeExamination(server({ id: 'calendar', transport: 'http' })));
  expect(text).not.toContain('PATH');
  expect(text).not.toContain('stderr');
});
