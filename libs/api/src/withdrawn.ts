import { z } from 'zod';

export const withdrawn = z
  .strictObject({
    at: z.iso.datetime(),
    reason: z.string().meta({ description: 'The reason that the moderator gave, as plain text.' }),
  })
  .meta({ id: 'Withdrawn' });
