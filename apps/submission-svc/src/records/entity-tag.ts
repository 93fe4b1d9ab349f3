import { createHash } from 'node:crypto';

/** The entity tag of a record, without its quotes: another one for each of its revisions. */
export function recordTag(recordId: number, revision: number): string {
  return `${recordId}-${revision}`;
}

/** The entity tag of a submission, without its quotes: another one for each revision of one of its records. */
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
