import type { Response } from 'express';
import { z } from 'zod';

/** The answer to a call that has nothing to give back: a confirmation. */
export const success = z.strictObject({ success: z.literal(true), message: z.string() }).meta({ id: 'Success' });
export type Success = z.output<typeof success>;

/** Confirms in words, for a person, what was done. */
export function sendSuccess(response: Response<Success>, message: string): void {
  response.set('Cache-Control', 'no-store').json({ success: true, message });
}
