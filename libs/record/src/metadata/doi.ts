/**
 * Normalizes a DOI for comparison: lower case, without resolver URL, `doi:` prefix (with or without the colon) and
 * trailing full stops. Other texts are trimmed and lower-cased. Idempotent.
 */
export function normalizeDoi(text: string): string {
  let normalized = text.toLowerCase();
  for (;;) {
    const before = normalized;
    normalized = before
      .trim()
      .replace(/^(?:https?:\/\/)?(?:dx\.|www\.)?doi\.org\//, '')
      .replace(/^doi[:\s]*(?=10\.)/, '');
    if (normalized.endsWith('.')) normalized = normalized.slice(0, -1);
    if (normalized === before) return normalized;
  }
}

/**
 * Returns whether a text is a DOI in any accepted spelling: `10.`, a registrant code, `/`, a suffix without spaces and without the segments
 * `.` and `..`.
 */
export function isDoi(text: string): boolean {
  const doi = normalizeDoi(text);
  return /^10\.\d{4,9}(?:\.\d+)*\/\S+$/.test(doi) && !/\/\.\.?(?:\/|$)/.test(doi);
}

/** Returns whether a text is a URL, by which a record can name a paper without a DOI. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
