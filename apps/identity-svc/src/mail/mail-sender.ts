import type { Kysely } from 'kysely';
import { leaderLoop } from '@esd/background/leader-loop';
import type { Logger } from '@esd/service/health/log';
import { counter } from '@esd/service/health/metrics';
import type { Dependency } from '@esd/service/health/readiness';
import type { IdentityTables } from '../tables.ts';
import { deleteExpiredMails } from './delete-expired-mails.ts';
import { mailFailure } from './mail-failure.ts';
import {
  findDueMails,
  giveUpOlderThan,
  MAIL_CHANNEL,
  markGivenUp,
  markSent,
  moveToEnd,
  postponeRefused,
} from './mail.store.ts';
import type { MailTransport } from './mail-transport.ts';
import { type MailLinks, prepareMail } from './prepare-mail.ts';

const BATCH = 20;
const POLL_MS = 2_000;
const SEND_MS = 30_000;
/** The time limit for the current mail once the process is stopping. */
const LAST_SEND_MS = 4_000;
const FIRST_POSTPONE_MS = 10_000;
const MAX_POSTPONE_MS = 3_600_000;
const CLEAN_EVERY_MS = 3_600_000;
/** The key of the advisory lock, which allows one sender per database. */
const SENDER_LOCK = 4_733_002;

const mails = counter('esd_mails_total');

export interface MailSenderOptions {
  database: Kysely<IdentityTables>;
  databaseUrl: string;
  transport: MailTransport;
  links: MailLinks;
  giveUpHours: number;
  log: Logger;
}

export interface MailSender {
  /** The reachability of the mail server. While it is down, mails wait and requests succeed. */
  dependency: Dependency;
  stop(): Promise<void>;
}

/**
 * Sends one mail at a time, in the leader. Doubles the delay after each refusal of a mail, up to one hour. After a
 * crash before `markSent`, a mail is sent twice, and only its second link works.
 */
export function startMailSender(options: MailSenderOptions): MailSender {
  const { database, databaseUrl, log, transport } = options;
  const cut = new AbortController();
  let lastFailure: unknown;
  let cleanAt = 0;
  const loop = leaderLoop({
    name: 'mail sender',
    database,
    databaseUrl,
    lock: SENDER_LOCK,
    channel: MAIL_CHANNEL,
    pollMs: POLL_MS,
    turn: async (connection, stopping) => {
      try {
        if (Date.now() >= cleanAt) {
          await deleteExpiredMails(connection);
          cleanAt = Date.now() + CLEAN_EVERY_MS;
        }
        const more = await sendBatch(connection, options, stopping, cut.signal);
        lastFailure = undefined;
        return more;
      } catch (error) {
        lastFailure = error;
        throw error;
      }
    },
    log,
  });
  return {
    dependency: {
      name: 'mail',
      needed: false,
      check: async () => {
        if (lastFailure !== undefined) throw new Error('sending the last mail failed', { cause: lastFailure });
      },
    },
    stop: async () => {
      const cutting = setTimeout(() => {
        cut.abort();
      }, LAST_SEND_MS);
      await loop.stop();
      clearTimeout(cutting);
      transport.close();
    },
  };
}

/** Returns true when more mails may be due. Throws when the server is unreachable. */
async function sendBatch(
  connection: Kysely<IdentityTables>,
  options: MailSenderOptions,
  stopping: AbortSignal,
  cut: AbortSignal,
): Promise<boolean> {
  for (const mailId of await giveUpOlderThan(connection, options.giveUpHours)) {
    mails.inc({ result: 'given_up' });
    options.log.error({ mailId, hours: options.giveUpHours }, 'mail given up: not sent in time');
  }
  const due = await findDueMails(connection, BATCH);
  for (const mailId of due) {
    if (stopping.aborted) break;
    await sendOne(connection, mailId, options, cut);
  }
  return due.length === BATCH;
}

async function sendOne(
  connection: Kysely<IdentityTables>,
  mailId: string,
  { links, transport, log }: MailSenderOptions,
  cut: AbortSignal,
): Promise<void> {
  const mail = await prepareMail(connection, mailId, links);
  if (mail === undefined) return;
  if (typeof mail === 'string') {
    mails.inc({ result: mail });
    return;
  }
  try {
    await transport.send(mail, AbortSignal.any([cut, AbortSignal.timeout(SEND_MS)]));
  } catch (error) {
    const failure = mailFailure(error);
    if (failure === 'unreachable') {
      // The mail itself may cause the failure, so the other mails are sent first.
      await moveToEnd(connection, mailId);
      throw error;
    }
    // The reply may contain the email address. That is acceptable, because the row is deleted with the account.
    const reason = String(error).slice(0, 500);
    if (failure === 'unknown-recipient') {
      await markGivenUp(connection, mailId, reason);
      mails.inc({ result: 'given_up' });
      log.error({ mailId }, 'mail given up: unknown recipient');
    } else {
      await postponeRefused(connection, mailId, FIRST_POSTPONE_MS, MAX_POSTPONE_MS, reason);
      mails.inc({ result: 'refused' });
      log.warn({ mailId }, 'mail refused by the server; retrying later');
    }
    return;
  }
  await markSent(connection, mailId);
  mails.inc({ result: 'sent' });
}
