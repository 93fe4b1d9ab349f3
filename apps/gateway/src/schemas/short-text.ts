import { z } from 'zod';

const MAX_TEXT_LENGTH = 1_000;

/** A text of a small body; the service behind the gateway knows what it must look like. */
export const shortText = z.string().min(1).max(MAX_TEXT_LENGTH);
