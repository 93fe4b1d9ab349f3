/**
 * An ORCID iD in its bare form with hyphens, or undefined when the text is none or its check digit is wrong.
 * Takes `0000-0002-1825-0097`, the same without hyphens, and the same behind `https://orcid.org/`.
 * Check digit: ISO 7064 MOD 11-2.
 */
export function normalizeOrcid(text: string): string | undefined {
  const bare = text.trim().replace(/^https?:\/\/(?:www\.)?orcid\.org\//i, '');
  if (!/^(?:\d{4}-){3}\d{3}[\dX]$|^\d{15}[\dX]$/i.test(bare)) return undefined;
  const digits = bare.replaceAll('-', '').toUpperCase();
  let total = 0;
  for (const digit of digits.slice(0, 15)) total = (total + Number(digit)) * 2;
  const check = (12 - (total % 11)) % 11;
  if (digits[15] !== (check === 10 ? 'X' : String(check))) return undefined;
  return digits.replace(/(.{4})(?=.)/g, '$1-');
}
