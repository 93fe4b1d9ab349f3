import { z } from 'zod';
import type { Account } from '@esd/proto/esd/identity/v1/identity';
import { shortText } from '../../schemas/short-text.ts';
import { accountRole, fromWireRole } from '../../schemas/account-role.ts';

export const orcid = z
  .union([shortText, z.literal('')])
  .nullable()
  .meta({
    description:
      'An ORCID iD, with or without `https://orcid.org/`; it is stored without. Null or an empty string means no ORCID iD.',
  });

/** The profile as its owner sees it. */
export const profileAnswer = z.strictObject({
  email: z.string(),
  emailVerified: z.boolean(),
  role: accountRole,
  createdAt: z.iso.datetime(),
  name: z.string(),
  orcid: z.string().optional(),
});

export function profileOf(account: Account | undefined): z.output<typeof profileAnswer> {
  if (!account?.createdAt) throw new Error('the response has no account');
  const { email, emailVerified, createdAt, name, orcid } = account;
  return { email, emailVerified, role: fromWireRole(account.role), createdAt: createdAt.toISOString(), name, orcid };
}
