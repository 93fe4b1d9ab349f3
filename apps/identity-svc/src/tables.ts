import type { AccountTable } from './account/account.table.ts';
import type { RefreshTokenTable, SessionTable } from './session/session.table.ts';

/** The tables of identity-svc by name. */
export interface IdentityTables {
  account: AccountTable;
  session: SessionTable;
  refresh_token: RefreshTokenTable;
}
