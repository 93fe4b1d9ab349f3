import { userFields } from '../catalog/catalog.ts';
import type { UserMetadata } from '../catalog/catalog.ts';
import { readMembers } from './read-members.ts';
import { readObject, report } from './read-value.ts';
import type { Reading } from './read-value.ts';

/**
 * Reads `userMetadata`. `required`: name, email and consentTerms must be present, because no account provides them.
 * `consentTerms: false` is a problem in both cases.
 */
export function readUserMetadata(reading: Reading, value: unknown, need: 'required' | 'optional'): UserMetadata {
  const sent = value ?? undefined;
  const members = sent === undefined ? {} : readObject(reading, 'userMetadata', sent);
  if (members === undefined) return {};
  const user = readMembers(reading, 'userMetadata', members, userFields);
  if (need === 'required') {
    for (const name of ['name', 'email', 'consentTerms'] as const) {
      const given = members[name];
      const blank = typeof given === 'string' && given.trim() === '';
      if (given !== undefined && given !== null && !blank) continue;
      const path = `userMetadata.${name}`;
      report(reading, path, 'MISSING_VALUE', () => `A submission without an account requires \`${path}\`.`);
    }
  }
  if (user.consentTerms === false) {
    report(
      reading,
      'userMetadata.consentTerms',
      'CONSENT_REQUIRED',
      () => '`consentTerms` must be true; accept the terms to submit.',
    );
  }
  return user;
}
