import { existsSync, mkdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { readMailFile } from './mail-file.ts';

/** Prints recipient, subject and link of each new mail in a folder. Returns a function that stops it. */
export function printNewMails(folder: string, say: (line: string) => void): () => void {
  mkdirSync(folder, { recursive: true });
  const printed = new Set<string>();
  const watching = watch(folder, (_event, name) => {
    if (name === null || !name.endsWith('.eml') || printed.has(name) || !existsSync(join(folder, name))) return;
    printed.add(name);
    const { to, subject, link } = readMailFile(join(folder, name));
    say(`mail to ${to}: ${subject}${link === undefined ? '' : `\n           ${link}`}`);
  });
  watching.on('error', () => undefined);
  return () => {
    watching.close();
  };
}
