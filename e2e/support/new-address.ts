import { randomBytes } from 'node:crypto';

/** Returns an email address that no other test uses, with the prefix `name`. */
export function newAddress(name: string): string {
  return `${name}-${randomBytes(6).toString('hex')}@example.org`;
}
