import { readFileSync } from 'node:fs';

/** The parts of a mail that the terminal shows. */
export interface MailFile {
  to: string;
  subject: string;
  link: string | undefined;
}

export function readMailFile(file: string): MailFile {
  // identity-svc does not encode ASCII texts.
  const mail = readFileSync(file, 'utf8');
  const header = (name: string): string => new RegExp(`^${name}: *(.*?)\r?$`, 'im').exec(mail)?.[1] ?? '';
  return {
    to: header('To'),
    subject: header('Subject'),
    link: /https?:\/\/\S+?\/auth\/[a-z-]+\?token=[\w.~-]+/.exec(mail)?.[0],
  };
}
