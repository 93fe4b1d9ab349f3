import type { Migrations } from '@esd/service/database/migrate';
import * as accountsAndSessions from './0001_accounts_and_sessions.ts';
import * as mailAndDeletion from './0002_mail_and_deletion.ts';
import * as audit from './0003_audit.ts';
import * as loginGuesses from './0003_login_guesses.ts';
import * as personalAccessTokens from './0003_personal_access_tokens.ts';
import * as twoFactorAndNotices from './0004_two_factor_and_notices.ts';
import * as recordMessages from './0005_record_messages.ts';
import * as knownLoginNetworks from './0006_known_login_networks.ts';
import * as outboxTraceparent from './0007_outbox_traceparent.ts';

export const migrations: Migrations = {
  '0001_accounts_and_sessions': accountsAndSessions,
  '0002_mail_and_deletion': mailAndDeletion,
  '0003_audit': audit,
  '0003_login_guesses': loginGuesses,
  '0003_personal_access_tokens': personalAccessTokens,
  '0004_two_factor_and_notices': twoFactorAndNotices,
  '0005_record_messages': recordMessages,
  '0006_known_login_networks': knownLoginNetworks,
  '0007_outbox_traceparent': outboxTraceparent,
};
