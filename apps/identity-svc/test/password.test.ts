import { expect, test } from '@jest/globals';
import { openPasswords } from '../src/account/password.ts';

const never = new AbortController().signal;

test('a password belongs to its own hash only, each with a salt of its own, and none to no hash', async () => {
  const passwords = await openPasswords({ memoryKib: 7_168, passes: 5, lanes: 1, atOnce: 2, waiting: 10 });
  const [first, second] = await Promise.all([passwords.hash('pässword', never), passwords.hash('pässword', never)]);
  expect(first).toMatch(/^\$argon2id\$v=19\$m=7168,t=5,p=1\$/);
  expect(first).not.toBe(second);
  await expect(passwords.verify(first, 'pa\u0308ssword', never)).resolves.toBe(true);
  await expect(passwords.verify(first, 'Pässword', never)).resolves.toBe(false);
  await expect(passwords.verify(undefined, 'pässword', never)).resolves.toBe(false);
  await expect(passwords.verify(undefined, '', never)).resolves.toBe(false);
});
