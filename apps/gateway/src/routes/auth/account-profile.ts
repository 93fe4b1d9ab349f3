import { z } from 'zod';
import type { Account } from '@esd/proto/esd/identity/v1/identity';
import { shortText } from '../../schemas/short-text.ts';
import { accountRole, fromWireRole } from '../../schemas/account-role.ts';

/** An ORCID iD as it is sent; null and an empty text remove it. */
export const orcid = z
  .union([shortText, z.literal('')])
  .nullable()
  .meta({ description: 'Bare or as https://orcid.org/…; stored bare. Null or an empty text for none.' });

/** What an account shows its owner. */
export const profileAnswer = z.strictObject({
  email: z.string(),
  emailVerified: z.boolean(),
  role: accountRole,
  createdAt: z.iso.datetime(),
  name: z.string(),
  orcid: z.string().optional(),
});

/** The same from the answer of identity-svc. */
export function profileOf(account: Account | undefined): z.output<typeof profileAnswer> {
  if (!account?.createdAt) throw new Error('an answer without an account');
  const { email, emailVerified, createdAt, name, orcid } = account;
  return { email, emailVerified, role: fromWireRole(account.role), createdAt: createdAt.toISOString(), name, orcid };
}
