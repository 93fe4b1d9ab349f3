/** An account that is gone: nothing more is kept for it. */
export interface DeletedAccountTable {
  account_id: string;
  deleted_at: Date;
}
