import { z } from 'zod';

/** The response of a call that returns no data. */
export const success = z.strictObject({ success: z.literal(true), message: z.string() }).meta({ id: 'Success' });

export type Success = z.output<typeof success>;
