/** Deleted accounts, on whose behalf a call that is still under way must not store anything. */
export interface DeletedAccountTable {
  account_id: string;
  deleted_at: Date;
}
