/** The entity tag of a record, without its quotes: another one for each of its revisions. */
export function recordTag(recordId: number, revision: number): string {
  return `${recordId}-${revision}`;
}
