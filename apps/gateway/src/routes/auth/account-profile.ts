import type { z } from 'zod';
import type { Account } from '@esd/proto/esd/identity/v1/identity';
import { fromWireRole } from '../../schemas/account-role.ts';
import type { profileAnswer } from '@esd/api/profile';

export function profileOf(account: Account | undefined): z.output<typeof profileAnswer> {
  if (!account?.createdAt) throw new Error('the response has no account');
  const { email, emailVerified, createdAt, name, orcid } = account;
  return { email, emailVerified, role: fromWireRole(account.role), createdAt: createdAt.toISOString(), name, orcid };
}
