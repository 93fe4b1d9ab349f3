export interface AccountTombstoneTable {
  account_id: string;
  deleted_at: Date;
}
