const PLAIN = /^[!#-_a-~]+(?: [!#-_a-~]+)*$/;
/** Quotes, primes, and accents in their place. */
const QUOTES = /["'`\u00B4\u00AB\u00BB\u02B9-\u02BD\u02C8\u02CA\u2018-\u201F\u2032-\u2037\u2039\u203A\u2057]/g;
const DASHES = /[\p{Dash_Punctuation}\u02D7\u2043\u2212]/gu;

/**
 * Unifies texts that look alike: NFKC, one kind of space and dash, without invisible characters, trimmed. NFKC also unifies
 * micro signs and variants of Greek letters. Idempotent.
 */
export function normalize(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .replace(DASHES, '-')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Returns the key by which names are compared: normalized, without case, with one kind of quote and prime. Idempotent. */
export function fold(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  // NFKC makes a space of an acute accent, and two primes of a double one.
  const unquoted = normalize(text.replace(QUOTES, "'")).replace(QUOTES, "'");
  return unquoted.toLowerCase().normalize('NFC').replaceAll('ς', 'σ');
}
