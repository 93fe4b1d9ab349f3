const DOI = /^10\.\d{4,9}(?:\.\d+)*\/[^\s\p{Cc}]+$/u;
const SHORTEST = /^10\.\d{4,9}(?:\.\d+)*\/[^\s\p{Cc}]/u;
const PREFIX = /^doi(?:[:\s]*(?=10\.|https?:|(?:dx\.|www\.)?doi\.org\/)|:\s*$)/i;
const RESOLVER = /^(?:https?:\/\/)?(?:dx\.|www\.)?doi\.org\//i;
/** A URL with or without its scheme, up to the DOI in its path, query, or fragment. */
const URL_TO_DOI =
  /^(?:https?:\/\/[^\s/]+|(?!10\.)[\w.-]+\.[a-z]+(?::\d+)?)\/(?:[^\s]*?(?:[^\w.]|%[\da-f]{2}|doi))?(?=10\.\d{4,9}(?:\.\d+)*(?:\/|%2f))/i;
const ENDING = /(?:[.,;\s]|\/(?:pdf|full|abstract|meta|html)|\.pdf)$/i;
const DOT_SEGMENT = /(?:^|\/|%2f)(?:\.|%2e){1,2}(?=$|[/?#]|%2f)/i;

/** Returns whether a text has a segment `.` or `..`, which a resolver would read as a folder. Such a text names no paper. */
export function hasDotSegment(text: string): boolean {
  return DOT_SEGMENT.test(text.trim());
}

/**
 * Normalizes a DOI for comparison: in lower case, without what `doiIn` removes. Other texts are trimmed and lower-cased, without
 * the URL of a resolver and final periods. Idempotent.
 */
export function normalizeDoi(text: string): string {
  const doi = doiIn(text);
  if (doi !== undefined) return doi.toLowerCase();
  const plain = withoutPrefix(text);
  // A text that is no DOI must not become one.
  return (isDoi(plain) ? text.trim() : plain).toLowerCase();
}

/** Returns whether a text is a DOI in any accepted spelling: `10.`, a registrant code, `/`, and a suffix without spaces. */
export function isDoi(text: string): boolean {
  return doiIn(text) !== undefined;
}

/**
 * Returns the DOI in a text, with its case. Removes what stands before it in a URL, and the query and fragment of that URL;
 * `doi:`; endings such as `/full` and `.pdf`; and final periods, commas, and semicolons.
 */
export function doiIn(text: string): string | undefined {
  if (hasDotSegment(text)) return undefined;
  const plain = text.trim().replace(PREFIX, '');
  const [before] = URL_TO_DOI.exec(plain) ?? [];
  const [inUrl = ''] = plain.slice(before?.length).split(before?.includes('?') ? /[?#&]/ : /[?#]/);
  const doi = withoutEnd(before === undefined ? plain : decoded(inUrl));
  return DOI.test(doi) && !hasDotSegment(doi) ? doi : undefined;
}

/** Returns whether a DOI is shorter than its text by more than `doi:`, the host of a resolver, or a final period. */
export function isShortened(text: string): boolean {
  const doi = doiIn(text);
  const plain = withoutPrefix(text);
  return doi !== undefined && doi !== plain && doi !== decoded(plain);
}

/** Decodes percent-encoded characters, unless the result is no DOI. */
function decoded(text: string): string {
  try {
    const plain = decodeURIComponent(text);
    return DOI.test(plain) ? plain : text;
  } catch {
    return text;
  }
}

/** Removes all endings, as long as the rest can be a DOI. */
function withoutEnd(doi: string): string {
  const shortest = SHORTEST.exec(doi)?.[0].length ?? doi.length;
  let end = doi.length;
  for (;;) {
    // A short text, so that the time is linear. The longest ending is `/abstract`.
    const [ending = ''] = ENDING.exec(doi.slice(Math.max(0, end - 9), end)) ?? [];
    if (ending === '' || end - ending.length < shortest) return doi.slice(0, end);
    end -= ending.length;
  }
}

function withoutPrefix(text: string): string {
  let plain = text.trim();
  if (hasDotSegment(plain)) return plain;
  for (;;) {
    const before = plain;
    plain = before.replace(RESOLVER, '').replace(PREFIX, '').trim();
    if (plain.endsWith('.')) plain = plain.slice(0, -1);
    if (plain === before) return plain;
  }
}

/** Returns whether a text is a URL, by which a record can name a paper without a DOI. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
