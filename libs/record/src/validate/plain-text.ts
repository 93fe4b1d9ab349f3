/**
 * Characters that no text may have: controls except tab and line ends, bidirectional overrides and isolates, and
 * noncharacters. They cannot be stored, change what a terminal shows, or hide what a text says.
 */
export const FORBIDDEN_CHARACTER = /(?![\t\n\r])\p{Cc}|[\u202A-\u202E\u2066-\u2069\uFFFE\uFFFF]/u;

/** Trims a text. Reads U+0085, the line end of some systems, as a line feed. */
export function trimmedText(text: string): string {
  return text.replaceAll('\u0085', '\n').trim();
}

export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !FORBIDDEN_CHARACTER.test(text);
}

/** Returns whether a text is plain and has no tabs and line ends. */
export function isPlainLine(text: string): boolean {
  return isPlainText(text) && !/\p{Cc}/u.test(text);
}
