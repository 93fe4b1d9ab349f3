import { z } from 'zod';

/** The answer to a call that has nothing to give back: a confirmation. */
export const success = z.strictObject({ success: z.literal(true), message: z.string() }).meta({ id: 'Success' });
