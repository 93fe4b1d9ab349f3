/** A deleted account. Nothing more is stored for it. */
export interface DeletedAccountTable {
  account_id: string;
  deleted_at: Date;
}
