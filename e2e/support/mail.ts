import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestStack } from '@esd/testing/stack';
import { query } from './database.ts';
import { eventually } from '@esd/testing/eventually';

/** A mail in the folder of a local stack. */
export interface Mail {
  file: string;
  to: string;
  subject: string;
  /** The decoded headers and text. */
  source: string;
  /** The link in the text, if any. */
  link: URL | undefined;
}

/** Returns the mails to an address, oldest first, when there are at least `count`. */
export async function mailsTo(dataDir: string, address: string, count = 1): Promise<Mail[]> {
  const read = async (): Promise<Mail[]> => {
    const folder = join(dataDir, 'mail');
    const names = await readdir(folder).catch(() => []);
    const files = names.filter((name) => name.endsWith('.eml')).sort();
    const mails = await Promise.all(
      files.map(async (file) => readMail(file, await readFile(join(folder, file), 'utf8'))),
    );
    return mails.filter(({ to }) => to === address);
  };
  return await eventually(read, (mails) => mails.length >= count, 60_000);
}

/** Makes the mails about bulk decisions due, which wait for 60 s. */
export async function sendDelayedMails(stack: Pick<TestStack, 'databaseUrl'>): Promise<void> {
  await query(stack.databaseUrl('esd_submission'), 'update outbox set created_at = now() where created_at > now()');
}

/** Waits for the mail to an address that contains a text. */
export async function mailSaying(dataDir: string, address: string, text: string): Promise<Mail> {
  const holding = async () => (await mailsTo(dataDir, address, 0)).find(({ source }) => source.includes(text));
  const found = await eventually(holding, (mail) => mail !== undefined, 60_000);
  if (found === undefined) throw new Error(`no mail to ${address} contains: ${text}`);
  return found;
}

/** Returns the token in the newest link to an address, when there are at least `count` links with a token. */
export async function tokenOf(dataDir: string, address: string, count = 1): Promise<string> {
  const linked = async () => (await mailsTo(dataDir, address)).filter(({ link }) => link?.searchParams.has('token'));
  const newest = (await eventually(linked, (mails) => mails.length >= count, 60_000)).at(-1);
  const token = newest?.link?.searchParams.get('token');
  if (!token) throw new Error(`a mail without a link: ${newest?.source ?? 'none'}`);
  return token;
}

function readMail(file: string, raw: string): Mail {
  // Quoted-printable: soft line breaks, and bytes as =XX. Texts in ASCII are not encoded.
  const isEncoded = /^Content-Transfer-Encoding: quoted-printable/im.test(raw);
  const bytes = raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  const source = isEncoded ? Buffer.from(bytes, 'latin1').toString() : raw;
  const header = (name: string): string => new RegExp(`^${name}: (.*?)\\r?$`, 'm').exec(source)?.[1] ?? '';
  const link = /^https?:\S+(?=\r?$)/m.exec(source)?.[0];
  return {
    file,
    to: header('To'),
    subject: header('Subject'),
    source,
    link: link === undefined ? undefined : new URL(link),
  };
}
