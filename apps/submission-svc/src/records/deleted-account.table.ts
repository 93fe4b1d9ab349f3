/** Deleted accounts, for which calls in progress must not store anything. */
export interface DeletedAccountTable {
  account_id: string;
  deleted_at: Date;
}
