import { expect, test } from '@jest/globals';
import { readConfig } from '@esd/service/config';
import { openPasswords } from '../../src/account/password.ts';
import { identitySettings } from '../../src/config.ts';
import { environmentOf, newKey } from '../identity-service.ts';

const never = new AbortController().signal;

test('a password matches only its own hash, every hash has its own salt, and no password matches a missing hash', async () => {
  const passwords = await openPasswords({ memoryKib: 7_168, passes: 5, lanes: 1, concurrency: 2, maxWaiting: 10 });
  const [first, second] = await Promise.all([passwords.hash('pässword', never), passwords.hash('pässword', never)]);
  expect(first).toMatch(/^\$argon2id\$v=19\$m=7168,t=5,p=1\$/);
  expect(first).not.toBe(second);
  await expect(passwords.verify(first, 'pa\u0308ssword', never)).resolves.toBe(true);
  await expect(passwords.verify(first, 'Pässword', never)).resolves.toBe(false);
  await expect(passwords.verify(undefined, 'pässword', never)).resolves.toBe(false);
  await expect(passwords.verify(undefined, '', never)).resolves.toBe(false);
});

test('passwords are hashed with the parameters that OWASP recommends, by default', () => {
  const config = readConfig(identitySettings, {
    ...environmentOf([newKey()], newKey()),
    ESD_DATABASE_URL: 'postgres://localhost/esd_identity',
    ESD_PASSWORD_MEMORY_KIB: undefined,
    ESD_PASSWORD_PASSES: undefined,
  });
  expect(config).toMatchObject({ ESD_PASSWORD_MEMORY_KIB: 19_456, ESD_PASSWORD_PASSES: 2 });
});
