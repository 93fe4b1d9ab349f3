import { isPlainText, trimmedText } from '@esd/record/validate/plain-text';
import { ServiceError } from '@esd/service/errors';

/** Returns the trimmed text of a member. Throws INVALID_REQUEST unless it has `least` to `most` characters of plain text. */
export function readPlainText(member: string, text: string, least: number, most: number): string {
  const trimmed = trimmedText(text);
  const isPlain = isPlainText(trimmed) && !trimmed.includes('\r');
  if (isPlain && trimmed.length >= least && trimmed.length <= most) return trimmed;
  throw new ServiceError(
    'INVALID_REQUEST',
    `\`${member}\` must have ${least} to ${most} characters and no control characters.`,
  );
}
