import { z } from 'zod';

/** The answer of what has no more to say than that it was done. */
export const success = z.strictObject({ success: z.literal(true), message: z.string() }).meta({ id: 'Success' });
