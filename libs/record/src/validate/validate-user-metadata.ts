import { userFields } from '../catalog/catalog.ts';
import type { UserMetadata } from '../catalog/catalog.ts';
import { readMembers } from './read-members.ts';
import { readObject, report } from './read-value.ts';
import type { Reading } from './read-value.ts';

/**
 * Reads `userMetadata`. Required: name, email and consentTerms = true must be there (nobody else vouches for the
 * submitter). Optional: an account fills what is absent. Terms that are rejected are a problem either way.
 */
export function readUserMetadata(reading: Reading, value: unknown, need: 'required' | 'optional'): UserMetadata {
  const sent = value ?? undefined;
  const members = sent === undefined ? {} : readObject(reading, 'userMetadata', sent);
  // What it should hold is unknown while it is not even an object.
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
      () => '`consentTerms` must be true: the terms must be accepted.',
    );
  }
  return user;
}
