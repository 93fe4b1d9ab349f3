import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Logger } from '@esd/service/health/log';
import type { MailText } from './mail-text.ts';

export interface OutgoingMail extends MailText {
  id: string;
  to: string;
  createdAt: Date;
}

export interface MailTransport {
  /** Resolves when the server has accepted the mail. Throws the server's error reply or the connection error. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<void>;
  close(): void;
}

const CONNECT_MS = 10_000;
const SILENT_MS = 20_000;

/** `url`: smtp:// or smtps://, with user and password if needed. */
export function smtpTransport(url: string, from: string): MailTransport {
  const smtp = createTransport({
    url,
    pool: true,
    maxConnections: 1,
    connectionTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async (mail, signal) => {
      await smtp.sendMail({ ...messageOf(mail, from), signal });
    },
    close: () => smtp.close(),
  };
}

/**
 * Writes each mail to a file, for local use. Logs the file name but not the link, with which anyone could choose a
 * password.
 */
export function folderTransport(folder: string, from: string, log: Logger): MailTransport {
  const composer = createTransport({ streamTransport: true, buffer: true });
  return {
    send: async (mail) => {
      const { message } = await composer.sendMail(messageOf(mail, from));
      const name = `${mail.createdAt.toISOString().replaceAll(/[:.]/g, '-')}-${mail.id}.eml`;
      await mkdir(folder, { recursive: true });
      // Renamed when complete, so that readers of the folder never see a partial mail.
      await writeFile(join(folder, `${name}.part`), message, { mode: 0o600 });
      await rename(join(folder, `${name}.part`), join(folder, name));
      log.info({ file: join(folder, name), subject: mail.subject }, 'mail');
    },
    close: () => composer.close(),
  };
}

function messageOf({ id, to, createdAt, subject, text, html }: OutgoingMail, from: string) {
  return {
    from,
    // In an object, special characters cannot add a recipient.
    to: { name: '', address: to },
    subject,
    text: bodyOf('text/plain', text),
    html: bodyOf('text/html', html),
    date: createdAt,
    // The same for every retry, so that mail programs can drop the duplicate.
    messageId: `<${id}@${from.replace(/^.*@|>$/g, '')}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  };
}

/** The longest line of a mail, in bytes without its end (RFC 5322). */
const MAX_LINE = 998;

/**
 * Returns a body of a mail. nodemailer breaks lines over 76 characters and escapes `=`, so that `cat` would show no usable link.
 * An ASCII text is therefore complete, with its headers; nodemailer encodes every other text.
 */
function bodyOf(type: string, text: string): string | { raw: string } {
  const lines = text.split('\n');
  if (/[^\t\n\x20-\x7e]/.test(text) || lines.some(({ length }) => length > MAX_LINE)) return text;
  const headers = [`Content-Type: ${type}; charset=us-ascii`, 'Content-Transfer-Encoding: 7bit', ''];
  return { raw: [...headers, ...lines].join('\r\n') };
}
