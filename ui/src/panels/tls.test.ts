import { describe, expect, it } from 'vitest';
import type { TlsFacts } from '../backend/bindings';
import { date, validity } from './tls';

const now = Date.UTC(2026, 5, 15, 12);
const day = 86_400_000;

function certificate(from: number, until: number): TlsFacts {
  return {
    version: 'TLS 1.3',
    subject: 'CN=example.com',
    issuer: 'CN=Example CA',
    names: ['example.com'],
    not_before: new Date(from).toISOString(),
    not_after: new Date(until).toISOString(),
    fingerprint: 'ab'.repeat(32),
    trusted: 'a root of the system',
  };
}

describe('how long a certificate holds', () => {
  it.each([
    ['while there is time', 15 * day, '15 days left', 'ok'],
    ['two weeks before its end', 14 * day, 'expires in 14 days', 'warn'],
    ['on its last day', 5 * 3_600_000, 'expires in 5 hours', 'warn'],
    ['in its last hour', 60_000, 'expires in less than an hour', 'warn'],
    ['at its very end', 0, 'expired less than an hour ago', 'err'],
    ['long after', -400 * day, 'expired 400 days ago', 'err'],
  ])('is said %s', (_, left, word, tone) => {
    const said = validity(certificate(now - 500 * day, now + left), now);
    expect([said.word, said.tone]).toEqual([word, tone]);
  });

  it('is not taken for granted where it has not begun', () => {
    expect(validity(certificate(now + day, now + 90 * day), now)).toMatchObject({
      word: 'not valid before 2026-06-16 12:00 UTC',
      tone: 'err',
    });
  });

  it('is doubted where the certificate says no time', () => {
    const facts = { ...certificate(now, now), not_after: '' };
    expect(validity(facts, now).tone).toBe('warn');
    expect(date(facts.not_after)).toBe('unknown');
  });
});
