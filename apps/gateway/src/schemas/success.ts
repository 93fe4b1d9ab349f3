import type { Response } from 'express';
import { z } from 'zod';

/** The response of a call that returns no data. */
export const success = z.strictObject({ success: z.literal(true), message: z.string() }).meta({ id: 'Success' });
export type Success = z.output<typeof success>;

export function sendSuccess(response: Response<Success>, message: string): void {
  response.set('Cache-Control', 'no-store').json({ success: true, message });
}
