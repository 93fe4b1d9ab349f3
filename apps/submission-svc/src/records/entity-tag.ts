import { createHash } from 'node:crypto';

/** Returns the entity tag of a record, without quotes; it changes with each revision. */
export function recordTag(recordId: number, revision: number): string {
  return `${recordId}-${revision}`;
}

/** Returns the entity tag of a submission, without quotes; it changes with each revision of any of its records. */
export function submissionTag(
  submissionId: number,
  records: readonly { recordId: number; revision: number }[],
): string {
  const tags = records
    .toSorted((one, other) => one.recordId - other.recordId)
    .map(({ recordId, revision }) => recordTag(recordId, revision));
  const hash = createHash('sha256').update(tags.join()).digest('base64url');
  return `${submissionId}-${hash.slice(0, 22)}`;
}
