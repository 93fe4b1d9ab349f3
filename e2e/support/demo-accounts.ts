/**
 * The accounts of the demo. All test files share them, so a file must not submit, or count what they own, unless the demo itself is its
 * subject: `npm run lint` allows the import of this module to such files only.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Credentials } from './admin.ts';

const credentials = z.strictObject({ email: z.string(), password: z.string() });

/** The administrator that the demo import created. */
export function demoAdmin(dataDir: string): Credentials {
  return credentials.parse(JSON.parse(readFileSync(join(dataDir, 'admin.json'), 'utf8')));
}

/** The account that owns the records of the demo. */
export function demoContributor(dataDir: string): Credentials {
  return credentials.parse(JSON.parse(readFileSync(join(dataDir, 'contributor.json'), 'utf8')));
}
