/** Accounts that are gone: a call on behalf of one, still under way, must not store anything. */
export interface DeletedAccountTable {
  account_id: string;
  deleted_at: Date;
}
