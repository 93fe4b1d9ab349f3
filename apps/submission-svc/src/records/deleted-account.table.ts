/** Deleted accounts. Calls in progress must not store anything for them. */
export interface DeletedAccountTable {
  account_id: string;
  deleted_at: Date;
}
