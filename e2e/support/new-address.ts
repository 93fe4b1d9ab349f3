import { randomBytes } from 'node:crypto';

/** An address that no other test has, which begins with `name`. */
export function newAddress(name: string): string {
  return `${name}-${randomBytes(6).toString('hex')}@example.org`;
}
