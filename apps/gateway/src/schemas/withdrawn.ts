import { z } from 'zod';

/** When and why a record was withdrawn. */
export const withdrawn = z
  .strictObject({
    at: z.iso.datetime(),
    reason: z.string().meta({ description: 'As the moderator gave it; plain text.' }),
  })
  .meta({ id: 'Withdrawn' });
