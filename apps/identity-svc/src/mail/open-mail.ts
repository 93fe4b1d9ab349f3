import type { Kysely } from 'kysely';
import type { Logger } from '@esd/service/health/log';
import type { IdentityConfig } from '../config.ts';
import type { IdentityTables } from '../tables.ts';
import { type MailSender, startMailSender } from './mail-sender.ts';
import { folderTransport, type MailTransport, smtpTransport } from './mail-transport.ts';

/** Starts the mail sender. Without a configured transport, mails wait in the database. */
export function openMail(config: IdentityConfig, database: Kysely<IdentityTables>, log: Logger): MailSender {
  const transport = transportOf(config, log);
  if (!transport) {
    const message = 'mail is not configured, so mails wait in the database; set ESD_SMTP_URL or ESD_MAIL_DIR';
    log.warn(message);
    return {
      dependency: { name: 'mail', needed: false, check: () => Promise.reject(new Error(message)) },
      stop: () => Promise.resolve(),
    };
  }
  return startMailSender({
    database,
    databaseUrl: config.ESD_DATABASE_URL,
    transport,
    links: {
      publicUrl: config.ESD_PUBLIC_URL,
      verificationHours: config.ESD_VERIFICATION_HOURS,
      resetHours: config.ESD_PASSWORD_RESET_HOURS,
    },
    giveUpHours: config.ESD_MAIL_GIVE_UP_HOURS,
    log,
  });
}

function transportOf(
  { ESD_SMTP_URL: smtp, ESD_MAIL_DIR: folder, ESD_MAIL_FROM: from }: IdentityConfig,
  log: Logger,
): MailTransport | undefined {
  if (smtp !== undefined) return smtpTransport(smtp, from);
  return folder === undefined ? undefined : folderTransport(folder, from, log);
}
