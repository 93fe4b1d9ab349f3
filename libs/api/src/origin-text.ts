import { plainText } from './plain-text.ts';

/** The origin of a record, as the moderation queue shows it. */
export const originText = plainText(1, 100);
