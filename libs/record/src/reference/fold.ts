/** Unifies texts that look alike: NFC, one kind of space, hyphen and micro sign, trimmed. */
export function normalize(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll('\u03BC', '\u00B5')
    .replace(/[\u2010-\u2013\u2212]/g, '-')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Returns a text for comparisons without case. */
export const fold = (text: string): string => normalize(text).toLowerCase();
