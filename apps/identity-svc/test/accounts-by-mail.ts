import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { assertionsOf, call, type IdentityUnderTest, startIdentity } from './identity-service.ts';
import { type MailServer, type ReceivedMail, startMailServer } from './mail-server.ts';
import { eventually } from '@esd/testing/eventually';

export interface AccountsUnderTest extends IdentityUnderTest {
  mailServer: MailServer;
  /** Returns the next unread mail to an address whose subject begins with `subject`. */
  nextMail(to: string, subject?: string): Promise<ReceivedMail>;
  /** Returns the token in the next mail with a link. */
  nextToken(to: string): Promise<string>;
  /** Waits until all mails are marked as sent, which follows their arrival. */
  allSent(): Promise<void>;
}

/** Starts identity-svc with an SMTP server of the test. */
export async function startAccounts(environment: Record<string, string> = {}): Promise<AccountsUnderTest> {
  const mailServer = await startMailServer();
  const identity = await startIdentity({
    environment: {
      ESD_SMTP_URL: mailServer.url,
      ESD_MAIL_FROM: 'Dataset <no-reply@example.org>',
      ESD_PUBLIC_URL: 'https://dataset.example.org',
      ...environment,
    },
  });
  const taken = new Set<ReceivedMail>();
  const next = async (to: string, isWanted: (mail: ReceivedMail) => boolean): Promise<ReceivedMail> => {
    const mail = await eventually(() =>
      mailServer.received.find((one) => one.to === to && !taken.has(one) && isWanted(one)),
    );
    taken.add(mail);
    return mail;
  };
  return {
    ...identity,
    mailServer,
    nextMail: (to, subject = '') => next(to, (mail) => mail.subject.startsWith(subject)),
    nextToken: async (to) => {
      const mail = await next(to, ({ link }) => link !== undefined);
      return z.string().parse(mail.link?.searchParams.get('token'));
    },
    allSent: async () => {
      const waiting = identity.database.selectFrom('mail').select('id').where('sent_at', 'is', null);
      while ((await waiting.execute()).length > 0) await sleep(20);
    },
    stop: async () => {
      await identity.stop();
      await mailServer.stop();
    },
  };
}

export const GRACE = { email: 'grace@example.org', password: 'a password of Grace', name: 'Grace' };

/** Registers an account, follows the link in its mail and logs in. */
export async function registerVerified(accounts: AccountsUnderTest, who: typeof GRACE = GRACE) {
  await accounts.client.register(who, call());
  await accounts.client.verifyEmail({ token: await accounts.nextToken(who.email) }, call());
  return await logIn(accounts, who);
}

/** Logs in. Returns the session and the assertions of its caller. */
export async function logIn(identity: IdentityUnderTest, { email, password }: { email: string; password: string }) {
  const { session } = await identity.client.login({ email, password, rememberMe: false }, call());
  if (!session) throw new Error('the response has no session');
  return { ...session, assertions: await assertionsOf(identity, session.token) };
}
