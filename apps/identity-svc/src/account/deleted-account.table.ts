/** The deleted accounts. Nothing more is stored for them. */
export interface DeletedAccountTable {
  account_id: string;
  deleted_at: Date;
}
