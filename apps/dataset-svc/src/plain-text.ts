import { ServiceError } from '@esd/service/errors';

/** Returns the trimmed text of a member. Throws INVALID_REQUEST unless it has `least` to `most` characters of plain text. */
export function readPlainText(member: string, text: string, least: number, most: number): string {
  const trimmed = text.trim();
  const isPlain = trimmed.isWellFormed() && !/[^\P{Cc}\n\t]/u.test(trimmed);
  if (isPlain && trimmed.length >= least && trimmed.length <= most) return trimmed;
  throw new ServiceError(
    'INVALID_REQUEST',
    `\`${member}\` must have ${least} to ${most} characters and no control characters.`,
  );
}
