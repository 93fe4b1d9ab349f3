import { shortText } from './short-text.ts';
import { z } from 'zod';
import { accountRole } from './account-role.ts';

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
