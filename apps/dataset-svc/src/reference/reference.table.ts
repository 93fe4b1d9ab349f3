import type { PaperAuthor, PaperSource } from '@esd/record/papers/paper';
import type { EntryList } from '@esd/record/reference/list-names';
import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';

/** A paper of the list of papers, from one dataset revision until before another. */
export interface PaperTable {
  row_id: GeneratedAlways<number>;
  /** The same in all rows of an entry. */
  entry_id: number;
  valid_from: number;
  valid_to: number | null;
  /** The value of the category `doi`. */
  doi: string;
  title: string;
  authors: JSONColumnType<readonly PaperAuthor[], string, string>;
  year: number | null;
  journal: string | null;
  publisher: string | null;
  url: string | null;
  source: PaperSource;
  updated_at: Generated<Date>;
}

/** The lookups of a DOI at the resolver. */
export interface PaperLookupTable {
  doi: string;
  attempts: number;
  last_at: Date;
  /** Null after a successful lookup, which is never repeated. */
  next_at: Date | null;
  /** The reason why the last lookup failed. */
  problem: string | null;
}

/** A change to an entry. Rows are only added. */
export interface ReferenceChangeTable {
  id: GeneratedAlways<number>;
  revision: number;
  at: Generated<Date>;
  account_id: string;
  request_id: string;
  list: EntryList;
  entry_id: number;
  action: 'create' | 'replace' | 'delete';
  before: JSONColumnType<object, string, string> | null;
  after: JSONColumnType<object, string, string> | null;
}
