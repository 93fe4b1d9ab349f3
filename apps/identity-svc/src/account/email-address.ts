import { domainToASCII } from 'node:url';
import { z } from 'zod';

// RFC 5321 §4.5.3.1 and §2.3.5.
const MAX_LOCAL_PART_LENGTH = 64;
const MAX_DOMAIN_LENGTH = 255;
const MAX_LABEL_LENGTH = 63;
const MAX_EMAIL_LENGTH = MAX_LOCAL_PART_LENGTH + 1 + MAX_DOMAIN_LENGTH;

// A dot-string of RFC 5321 (with the letters of RFC 6531) and a domain of letters, digits and hyphens. Specials are left
// out, so that an address can be read in one way only when it stands in a mail header.
const EMAIL =
  /^[^\s\p{C}@<>()[\]\\,;:".\ufffd]+(?:\.[^\s\p{C}@<>()[\]\\,;:".\ufffd]+)*@[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*$/u;

/** An e-mail address: trimmed, letters composed (NFC), otherwise as typed. */
export const emailInput = z
  .string()
  .trim()
  .normalize('NFC')
  .max(MAX_EMAIL_LENGTH, { error: `The e-mail address may have at most ${MAX_EMAIL_LENGTH} characters.`, abort: true })
  .regex(EMAIL, {
    error: (issue) => `${JSON.stringify(issue.input)} is not an e-mail address such as name@example.org.`,
    abort: true,
  })
  .refine((email) => partsOf(email).local.length <= MAX_LOCAL_PART_LENGTH, {
    error: `The e-mail address may have at most ${MAX_LOCAL_PART_LENGTH} characters before the @.`,
  })
  .refine((email) => isDomain(partsOf(email).domain), {
    error: (issue) => `${JSON.stringify(issue.input)} does not end with the name of a domain.`,
  });

/** The text by which an address is unique: letters composed (NFC), lower case, the domain as DNS has it (punycode). */
export function normalizeEmail(email: string): string {
  const { local, domain } = partsOf(email.normalize('NFC'));
  return `${local.toLowerCase()}@${domainToASCII(domain)}`;
}

/** The address to which a mail is sent: the local part as typed, the domain as DNS has it. */
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
  // Numbers alone are an address of IPv4 there, which mail servers write in brackets.
  if (ascii === '' || ascii.length > MAX_DOMAIN_LENGTH || /^[\d.]+$/.test(ascii)) return false;
  return ascii.split('.').every((label) => label.length <= MAX_LABEL_LENGTH && !/^-|-$/.test(label));
}
