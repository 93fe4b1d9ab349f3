import type { Generated } from 'kysely';

/** A public query; no row is ever changed or deleted. */
export interface QueryTable {
  /** Derived from what was asked and the digest, see `createQuery`. */
  id: string;
  /** The filter as it was sent first, JSON text. */
  filter: string;
  /** Keys and members as parameters of a page have them; null: none were asked for. */
  sort: string | null;
  fields: string | null;
  /** `latest` or the identifier of the release that was asked first. */
  version: string;
  /** The dataset revision that was asked first. */
  revision: number;
  record_count: number;
  /** SHA-256 over the hashes of the records, 64 hexadecimal digits. */
  digest: string;
  /** Ids of rows of record_revision in the order of the query, see `packRowIds`. */
  row_list: Buffer;
  /** Whether an account has made it. */
  by_account: boolean;
  created_at: Generated<Date>;
}

/** A day (UTC) on which queries were made; those before today are deleted. */
export interface QueryDayTable {
  day: string;
  salt: Buffer;
}

/** How many new queries a client or a network has made on a day. */
export interface QueryMakerTable {
  day: string;
  /** SHA-256 of the salt of the day and the name of the client. */
  maker: Buffer;
  made: number;
}
