import { z } from 'zod';

export const MAX_TEXT_LENGTH = 1_000;

/** A text of a small body. The service behind the gateway validates its format. */
export const shortText = z.string().min(1).max(MAX_TEXT_LENGTH);
