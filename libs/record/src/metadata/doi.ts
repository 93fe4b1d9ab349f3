/**
 * The form in which DOIs are compared: lower case, without a resolver's address, a `doi:` prefix (with or without the
 * colon) and a full stop at the end. A text that is no DOI comes back trimmed and in lower case.
 */
export function normalizeDoi(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^(?:https?:\/\/)?(?:dx\.|www\.)?doi\.org\//, '')
    .replace(/^doi[:\s]*(?=10\.)/, '')
    .replace(/\.$/, '')
    .trim();
}

/** Whether a text is a DOI in any accepted spelling: `10.`, a registrant's number, `/`, a suffix without spaces. */
export function isDoi(text: string): boolean {
  return /^10\.\d{4,9}(?:\.\d+)*\/\S+$/.test(normalizeDoi(text));
}
