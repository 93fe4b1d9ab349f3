import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Kysely } from 'kysely';
import { SMTPServer } from 'smtp-server';
import { createLog } from '@esd/service/health/log';
import { startMailSender } from '../src/mail/mail-sender.ts';
import { smtpTransport } from '../src/mail/mail-transport.ts';
import type { IdentityTables } from '../src/tables.ts';

export interface ReceivedMail {
  to: string;
  subject: string;
  /** The mail as it was sent. */
  raw: string;
  /** Headers and body, decoded. */
  source: string;
  link: URL | undefined;
}

export interface MailServer {
  url: string;
  received: ReceivedMail[];
  /** Refuses mails at RCPT TO (`recipient`) or after the body (`data`) until a call without arguments. */
  refuse(code?: number, when?: 'recipient' | 'data'): void;
  /** Stops; further connections are refused. */
  stop(): Promise<void>;
  /** Starts again on the same port. */
  start(): Promise<void>;
}

/** Starts a real SMTP server for a test. */
export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let refusal: { code: number; when: 'recipient' | 'data' } | undefined;
  let server: SMTPServer | undefined;
  let port = 0;
  const refused = (code: number) => Object.assign(new Error('refused by the test'), { responseCode: code });
  const start = async (): Promise<void> => {
    const next = new SMTPServer({
      disabledCommands: ['STARTTLS', 'AUTH'],
      logger: false,
      closeTimeout: 100,
      onRcptTo: (_address, _session, callback) => {
        callback(refusal?.when === 'recipient' ? refused(refusal.code) : null);
      },
      onData: (stream, session, callback) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          if (refusal?.when === 'data') {
            callback(refused(refusal.code));
            return;
          }
          const to = session.envelope.rcptTo.map(({ address }) => address).join();
          received.push(readMail(to, Buffer.concat(chunks).toString()));
          callback(null);
        });
      },
    });
    server = next;
    const listening = next.listen(port, '127.0.0.1');
    if (!listening.listening) await once(listening, 'listening');
    // `address()` returns an AddressInfo, because the server listens on TCP.
    port = (listening.address() as AddressInfo).port;
  };
  await start();
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    refuse: (code, when = 'recipient') => {
      refusal = code === undefined ? undefined : { code, when };
    },
    stop: () => new Promise((resolve) => server?.close(resolve)),
    start,
  };
}

/** Parses a mail whose parts are either all ASCII or all quoted-printable. */
export function readMail(to: string, raw: string): ReceivedMail {
  const isEncoded = /^Content-Transfer-Encoding: quoted-printable/im.test(raw);
  const bytes = raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  const source = isEncoded ? Buffer.from(bytes, 'latin1').toString() : raw;
  const link = /^https?:\S+(?=\r?$)/m.exec(source)?.[0];
  return {
    to,
    subject: /^Subject: (.*)$/m.exec(source)?.[1]?.trim() ?? '',
    raw,
    source,
    link: link === undefined ? undefined : new URL(link),
  };
}

/** Starts a mail sender as the process does. */
export function sendMails(database: Kysely<IdentityTables>, databaseUrl: string, smtpUrl: string, giveUpHours = 24) {
  return startMailSender({
    database,
    databaseUrl,
    transport: smtpTransport(smtpUrl, 'Dataset <no-reply@example.org>'),
    links: { publicUrl: 'https://dataset.example.org', verificationHours: 48, resetHours: 1 },
    giveUpHours,
    log: createLog('identity-svc', 'silent'),
  });
}
