import { readFileSync } from 'node:fs';

/** What a mail in the folder of the local stack is about. */
export interface MailFile {
  to: string;
  subject: string;
  /** Where its reader can go on, if it says so. */
  link: string | undefined;
}

/** Reads a mail as far as a reader of the terminal needs it. */
export function readMailFile(file: string): MailFile {
  // Quoted-printable, as far as a line of ASCII text needs it.
  const mail = readFileSync(file, 'utf8')
    .replaceAll(/=\r?\n/g, '')
    .replaceAll('=3D', '=');
  const header = (name: string): string => new RegExp(`^${name}: *(.*?)\r?$`, 'im').exec(mail)?.[1] ?? '';
  return {
    to: header('To'),
    subject: header('Subject'),
    link: /https?:\/\/\S+?\/auth\/[a-z-]+\?token=[\w.~-]+/.exec(mail)?.[0],
  };
}
