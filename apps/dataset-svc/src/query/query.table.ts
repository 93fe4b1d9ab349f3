import type { Generated } from 'kysely';

/** A public query. Rows are never updated or deleted. */
export interface QueryTable {
  id: string;
  /** The filter of the first request, JSON text. */
  filter: string;
  /** In the syntax of the query parameters; null if not requested. */
  sort: string | null;
  fields: string | null;
  /** `latest` or the identifier of the release in the first request. */
  version: string;
  revision: number;
  record_count: number;
  /** SHA-256 over the hashes of the records, 64 hexadecimal digits. */
  digest: string;
  /** Ids of rows of record_revision in the order of the query, see `packRowIds`. */
  row_list: Buffer;
  by_account: boolean;
  /** Whether only the record with the lowest id of each group of repeated records is in the query. */
  once: Generated<boolean>;
  created_at: Generated<Date>;
}

/** A day (UTC) on which queries were created. Earlier days are deleted. */
export interface QueryDayTable {
  day: string;
  salt: Buffer;
}

/** The number of new queries of a client on a day. */
export interface QueryClientTable {
  day: string;
  /** SHA-256 of the salt of the day and the name of the client. */
  client: Buffer;
  queries: number;
}
