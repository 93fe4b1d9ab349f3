/**
 * Returns an ORCID iD with hyphens; undefined for other texts or a wrong check digit (ISO 7064 MOD 11-2). Accepts the iD
 * with or without hyphens, also as an `https://orcid.org/` URL.
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
