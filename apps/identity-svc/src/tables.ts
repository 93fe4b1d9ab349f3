import type { OutboxTables } from '@esd/events/outbox';
import type { DeletedAccountTable } from './account/deleted-account.table.ts';
import type { AccountTable } from './account/account.table.ts';
import type { AuditOriginTable, AuditTable } from './audit/audit.table.ts';
import type { KnownLoginNetworkTable, LoginGuessTable } from './login-throttle/login-guess.table.ts';
import type { MailTable, MailTokenTable } from './mail/mail.table.ts';
import type { RefreshTokenTable, SessionTable } from './session/session.table.ts';
import type { RecoveryCodeTable, TwoFactorTable } from './two-factor/two-factor.table.ts';
import type { TokenSecretTable, TokenTable } from './token/token.table.ts';

export interface IdentityTables extends OutboxTables {
  account: AccountTable;
  deleted_account: DeletedAccountTable;
  mail: MailTable;
  mail_token: MailTokenTable;
  session: SessionTable;
  refresh_token: RefreshTokenTable;
  personal_access_token: TokenTable;
  personal_access_token_secret: TokenSecretTable;
  two_factor: TwoFactorTable;
  recovery_code: RecoveryCodeTable;
  login_guess: LoginGuessTable;
  known_login_network: KnownLoginNetworkTable;
  audit: AuditTable;
  audit_origin: AuditOriginTable;
}
