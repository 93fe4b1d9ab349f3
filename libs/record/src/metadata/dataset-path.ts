/** The name of the latest dataset. No release has this identifier. */
export const LATEST = 'latest';

/**
 * The paths that may follow a version under `/public/dataset`. A version may be a DOI with slashes; it ends where the
 * last of these paths begins.
 */
const SUB_PATH =
  /\/(?:records\/[^/]+(?:\/metadata)?|facets|statistics|histogram|grid|points|nearest|coverage|summary|papers|metadata|export)$/;

/** Returns whether a path or a DOI ends with a sub-path of a version. Slashes must be decoded. */
export function endsInSubPath(path: string): boolean {
  return SUB_PATH.test(path);
}
