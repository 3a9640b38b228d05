import { expect, it } from 'vitest';
import type { SecretList, SecretState } from '../backend/bindings';
import { Secrets } from './secrets.svelte';
import { later, Stub } from './stub';

const keeper = { kind: 'keyring', notice: null } as const;
const key = (known: boolean): SecretState => ({
  name: 'KEY',
  kind: 'secret',
  known,
  description: null,
  default: null,
  options: [],
  password: true,
});

it('a value goes to the core, and only whether it is known comes back', async () => {
  let known = false;
  const stub = new Stub({
    list_secrets: () => ({ keeper, secrets: [key(known)] }),
    set_secret: ({ value }) => {
      known = value !== undefined;
      return {};
    },
  });
  const secrets = new Secrets(stub);
  await secrets.open('a');
  expect(secrets.missing).toHaveLength(1);
  expect(await secrets.set('secret', 'KEY', 's3cret')).toBe(true);
  expect(secrets.missing).toHaveLength(0);
  expect(JSON.stringify(secrets.list)).not.toContain('s3cret');
  await secrets.set('secret', 'KEY', null);
  expect(stub.requests('set_secret')[1], 'none has it forgotten').toEqual({
    server: 'a',
    kind: 'secret',
    name: 'KEY',
  });
  expect(secrets.missing).toHaveLength(1);
});

it('the secrets of the server that was left do not come over the new one', async () => {
  const slow = later<SecretList>();
  const secrets = new Secrets(
    new Stub({ list_secrets: ({ server }) => (server === 'a' ? slow.promise : { keeper, secrets: [] }) }),
  );
  const first = secrets.open('a');
  await secrets.open('b');
  slow.resolve({ keeper, secrets: [key(false)] });
  await first;
  expect(secrets.server).toBe('b');
  expect(secrets.list).toEqual([]);
});
