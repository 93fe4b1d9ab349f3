import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import { leaseStack } from '@esd/testing/leased-stack';
import { HAS_IPV6 } from '@esd/testing/stack-kinds';
import { addAccount } from '../support/accounts.ts';
import { type Credentials, login, newAdmin } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import { submitRecords } from '../support/dataset.ts';
import { expectError } from '../support/errors.ts';
import { newAddress } from '../support/new-address.ts';
import { oneTimeCode } from '../support/one-time-code.ts';
import { session } from '../support/shapes.ts';
import { smallSubmission } from '@esd/testing/records';

const begun = z.looseObject({ secret: z.string() });
const confirmed = z.looseObject({ recoveryCodes: z.array(z.string()).length(10) });

const stack = await leaseStack('twoFactor');
afterAll(() => stack.stop());
const api = apiAt(stack.url);
let admin: { who: Credentials; token: string };
beforeAll(async () => {
  admin = await newAdmin(stack, api);
});

// Every test of this file runs with IPv6 alone.
(HAS_IPV6 ? test : test.skip)('all services listen on ::1 alone', async () => {
  for (const address of Object.values(stack.addresses).flatMap((its) => Object.values(its)))
    expect(address).toContain('[::1]:');
  const { port } = new URL(stack.url);
  await expect(request(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
});

test('if staff must use two-factor sign-in, only the actions of a role are rejected until it is enabled', async () => {
  const { who, token } = admin;
  const [recordId = 0] = await submitRecords(api, smallSubmission(1), token);
  const work = [
    () => api.get('/admin/accounts', { bearer: token }),
    () => api.post(`/moderation/records/${recordId}/approve`, {}, { bearer: token }),
    // Before the path and the body are checked.
    () => api.post('/moderation/records/none/approve', { nonsense: 1 }, { bearer: token }),
  ];
  const expectRefused = async (): Promise<void> => {
    for (const call of work) expectError(await call(), 403, 'TWO_FACTOR_REQUIRED', /POST \/auth\/two-factor/);
  };
  await expectRefused();

  const user = await addAccount(stack, who, newAddress('user'));
  const userToken = await login(api, user.who);
  expectError(await api.get('/admin/accounts', { bearer: userToken }), 403, 'FORBIDDEN');

  const begin = await api.post('/auth/two-factor', { password: who.password }, { bearer: token });
  const { secret } = begun.parse(begin.json);
  await expectRefused();
  const confirm = await api.post('/auth/two-factor/confirm', { otp: oneTimeCode(secret) }, { bearer: token });
  const [recoveryCode = ''] = confirmed.parse(confirm.json).recoveryCodes;
  expect((await api.get('/admin/accounts', { bearer: token })).status).toBe(200);
  expect((await api.post(`/moderation/records/${recordId}/approve`, {}, { bearer: token })).status).toBe(200);

  expectError(await api.post('/auth/login', who), 401, 'OTP_REQUIRED');
  const next = await api.post('/auth/login', { ...who, otp: oneTimeCode(secret, 1) });
  const { token: second } = session.parse(next.json);
  expect((await api.get('/admin/accounts', { bearer: second })).status).toBe(200);

  const turnOff = { password: who.password, otp: recoveryCode };
  const off = await api.delete('/auth/two-factor', {
    bearer: second,
    body: JSON.stringify(turnOff),
    headers: { 'content-type': 'application/json' },
  });
  expect(off.status).toBe(200);
  expectError(await api.get('/admin/accounts', { bearer: second }), 403, 'TWO_FACTOR_REQUIRED');
});
