import { existsSync, mkdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { readMailFile } from './mail-file.ts';

/** Says of each mail that comes to a folder from now on to whom it goes, and its link. Returns how to end it. */
export function printNewMails(folder: string, say: (line: string) => void): () => void {
  mkdirSync(folder, { recursive: true });
  const printed = new Set<string>();
  const watching = watch(folder, (_event, name) => {
    // A mail is moved to its name when it is whole.
    if (name === null || !name.endsWith('.eml') || printed.has(name) || !existsSync(join(folder, name))) return;
    printed.add(name);
    const { to, subject, link } = readMailFile(join(folder, name));
    say(`mail to ${to}: ${subject}${link === undefined ? '' : `\n           ${link}`}`);
  });
  // Without it mails still lie in the folder.
  watching.on('error', () => undefined);
  return () => {
    watching.close();
  };
}
