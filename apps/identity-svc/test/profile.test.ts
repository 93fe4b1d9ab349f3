import { afterAll, expect, test } from '@jest/globals';
import { registerVerified, startAccounts } from './accounts-by-mail.ts';
import { call, codeOf } from './identity-service.ts';

const accounts = await startAccounts();
const { assertions } = await registerVerified(accounts);
afterAll(() => accounts.stop());

const update = (changes: { name?: string; orcid?: string }) => accounts.client.updateProfile(changes, call(assertions));

test('fields in the request change, absent fields do not, and an empty text removes the ORCID iD', async () => {
  const answers = [];
  const changes = [
    { name: ' Grace Hopper ' },
    { orcid: 'https://orcid.org/0000000218250097' },
    {},
    { name: 'G. Hopper', orcid: '' },
  ];
  for (const change of changes) {
    const { account } = await update(change);
    answers.push([account?.name, account?.orcid]);
    await expect(accounts.client.getOwnAccount({}, call(assertions))).resolves.toEqual({ account });
  }
  expect(answers).toEqual([
    ['Grace Hopper', undefined],
    ['Grace Hopper', '0000-0002-1825-0097'],
    ['Grace Hopper', '0000-0002-1825-0097'],
    ['G. Hopper', undefined],
  ]);
});

test.each([
  ['an empty name', { name: ' ' }],
  ['a control character', { name: 'Grace\u009B' }],
  ['201 characters', { name: 'x'.repeat(201) }],
  ['a wrong check digit', { orcid: '0000-0002-1825-0090' }],
])('%s is rejected', async (_case, changes) => {
  await expect(codeOf(update(changes))).resolves.toBe('INVALID_REQUEST');
});

test('nothing changes without a caller', async () => {
  await expect(codeOf(accounts.client.updateProfile({ name: 'Mallory' }, call()))).resolves.toBe('AUTH_REQUIRED');
});
