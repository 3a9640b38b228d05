import { expect, it } from 'vitest';
import { Notices } from './notices.svelte';

it('a notice tells each thing once, however many files said it', () => {
  const notices = new Notices();
  notices.say('3 servers written', ['there is no keyring', 'there is no keyring', 'one was left out']);
  expect(notices.list[0]?.details).toEqual(['there is no keyring', 'one was left out']);
});
