import type { Response } from 'express';
import type { Success } from '@esd/api/success';

export function sendSuccess(response: Response<Success>, message: string): void {
  response.set('Cache-Control', 'no-store').json({ success: true, message });
}
