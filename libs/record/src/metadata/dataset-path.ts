/**
 * What may follow a version in a path under `/public/dataset`. A version may be a DOI, which has slashes itself, so that a DOI
 * ends where the last of these begins.
 */
const SUB_PATH =
  /\/(?:records\/[^/]+(?:\/metadata)?|facets|statistics|histogram|grid|points|nearest|coverage|metadata|export)$/;

/** Whether a path, or a DOI, ends like something of a version of the dataset. Its slashes must be plain. */
export function endsInSubPath(path: string): boolean {
  return SUB_PATH.test(path);
}
