import { domainToASCII } from 'node:url';
import { z } from 'zod';

// RFC 5321 §4.5.3.1 and §2.3.5.
const MAX_LOCAL_PART_LENGTH = 64;
const MAX_DOMAIN_LENGTH = 255;
const MAX_LABEL_LENGTH = 63;
const MAX_EMAIL_LENGTH = MAX_LOCAL_PART_LENGTH + 1 + MAX_DOMAIN_LENGTH;

// A dot-string of RFC 5321/6531, and a domain. Without special characters, a mail header has only one reading.
const EMAIL =
  /^[^\s\p{C}@<>()[\]\\,;:".\ufffd]+(?:\.[^\s\p{C}@<>()[\]\\,;:".\ufffd]+)*@[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*$/u;

/** Trimmed, letters composed (NFC), otherwise as typed. */
export const emailInput = z
  .string()
  .trim()
  .normalize('NFC')
  .max(MAX_EMAIL_LENGTH, { error: `The e-mail address must have at most ${MAX_EMAIL_LENGTH} characters.`, abort: true })
  .regex(EMAIL, {
    error: (issue) => `${JSON.stringify(issue.input)} is not an e-mail address such as name@example.org.`,
    abort: true,
  })
  .refine((email) => partsOf(email).local.length <= MAX_LOCAL_PART_LENGTH, {
    error: `The e-mail address must have at most ${MAX_LOCAL_PART_LENGTH} characters before the @.`,
  })
  .refine((email) => isDomain(partsOf(email).domain), {
    error: (issue) => `${JSON.stringify(issue.input)} does not end with a valid domain name.`,
  });

/** Returns the unique form of an address: letters composed (NFC), lower case, the domain in punycode. */
export function normalizeEmail(email: string): string {
  const { local, domain } = partsOf(email.normalize('NFC'));
  return `${local.toLowerCase()}@${domainToASCII(domain)}`;
}

/** Returns the recipient address of a mail: the local part as typed, the domain in punycode. */
export function mailboxOf(email: string): string {
  const { local, domain } = partsOf(email);
  return `${local}@${domainToASCII(domain)}`;
}

function partsOf(email: string): { local: string; domain: string } {
  const at = email.lastIndexOf('@');
  return { local: email.slice(0, at), domain: email.slice(at + 1) };
}

function isDomain(domain: string): boolean {
  const ascii = domainToASCII(domain);
  // `domainToASCII` reads numbers alone as an IPv4 address, which mail servers write in brackets.
  if (ascii === '' || ascii.length > MAX_DOMAIN_LENGTH || /^[\d.]+$/.test(ascii)) return false;
  return ascii.split('.').every((label) => label.length <= MAX_LABEL_LENGTH && !/^-|-$/.test(label));
}
