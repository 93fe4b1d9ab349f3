/**
 * The form in which DOIs are compared: lower case, without a resolver's address, a `doi:` prefix (with or without the
 * colon) and full stops at the end. A text that is no DOI comes back trimmed and in lower case.
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
    // What is left may have to be normalized again: the normalized form of a normalized form is itself.
    if (normalized === before) return normalized;
  }
}

/** Whether a text is a DOI in any accepted spelling: `10.`, a registrant's number, `/`, a suffix without spaces. */
export function isDoi(text: string): boolean {
  return /^10\.\d{4,9}(?:\.\d+)*\/\S+$/.test(normalizeDoi(text));
}
