import { domainToASCII } from 'node:url';
import { z } from 'zod';

// RFC 5321 §4.5.3.1 and §2.3.5.
const MAX_LOCAL_PART_LENGTH = 64;
const MAX_DOMAIN_LENGTH = 255;
const MAX_LABEL_LENGTH = 63;
const MAX_EMAIL_LENGTH = MAX_LOCAL_PART_LENGTH + 1 + MAX_DOMAIN_LENGTH;

// A dot-string (RFC 5321, RFC 6531) and a domain. It excludes the characters that have a meaning in a mail header.
const EMAIL =
  /^[^\s\p{C}@<>()[\]\\,;:".\ufffd]+(?:\.[^\s\p{C}@<>()[\]\\,;:".\ufffd]+)*@[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*$/u;

/** An email address, trimmed and in Unicode NFC, otherwise unchanged. */
export const emailInput = z
  .string()
  .trim()
  .normalize('NFC')
  .max(MAX_EMAIL_LENGTH, { error: `The email address must have at most ${MAX_EMAIL_LENGTH} characters.`, abort: true })
  .regex(EMAIL, {
    error: (issue) => `${JSON.stringify(issue.input)} is not an email address such as name@example.org.`,
    abort: true,
  })
  .refine((email) => partsOf(email).local.length <= MAX_LOCAL_PART_LENGTH, {
    error: `The email address must have at most ${MAX_LOCAL_PART_LENGTH} characters before the @.`,
  })
  .refine((email) => isDomain(partsOf(email).domain), {
    error: (issue) => `${JSON.stringify(issue.input)} does not end with a valid domain name.`,
  });

/** Returns the unique form of an address: in Unicode NFC and lower case, with the domain in punycode. */
export function normalizeEmail(email: string): string {
  const { local, domain } = partsOf(email.normalize('NFC'));
  return `${local.toLowerCase()}@${domainToASCII(domain)}`;
}

/** Returns the recipient address of a mail: the local part unchanged, the domain in punycode. */
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
  // `domainToASCII` parses digits and dots as an IPv4 address, which an email address must enclose in brackets.
  if (ascii === '' || ascii.length > MAX_DOMAIN_LENGTH || /^[\d.]+$/.test(ascii)) return false;
  return ascii.split('.').every((label) => label.length <= MAX_LABEL_LENGTH && !/^-|-$/.test(label));
}
