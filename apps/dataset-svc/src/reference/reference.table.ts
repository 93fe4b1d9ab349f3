import type { PaperAuthor, PaperSource } from '@esd/record/papers/paper';
import type { ListName } from '@esd/record/reference/reference';
import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';

/** An entry that is valid from one dataset revision until before another. */
interface Validity {
  row_id: GeneratedAlways<number>;
  /** The same in all rows of an entry. */
  entry_id: number;
  valid_from: number;
  valid_to: number | null;
}

interface EntryValidity extends Validity {
  retired: Generated<boolean>;
}

export interface SubstanceTable extends EntryValidity {
  list: 'polymers' | 'solvents';
  name: string;
  full_name: string | null;
  cas_number: string | null;
  abbreviation: string | null;
  aliases: string[];
  kind: string;
  note: string | null;
  same_as: string | null;
  /** Solvents only. */
  inchi_key: string | null;
  /** Solvents only. */
  pubchem_cid: number | null;
}

export interface UnitTable extends EntryValidity {
  unit: string;
  name: string;
  dimension: string;
  canonical: string | null;
  factor: number | null;
  offset: number | null;
  aliases: string[];
  ucum_code: string | null;
  qudt_uri: string | null;
}

export interface MorphologyTable extends EntryValidity {
  category: string;
  label: string;
  abbreviation: string | null;
  definition: string;
  synonyms: string[];
}

export interface InstabilityTable extends EntryValidity {
  label: string;
  category: string;
  definition: string;
  synonyms: string[];
}

export interface AmbiguousTextTable extends Validity {
  list: ListName;
  text: string;
  meanings: string[];
}

/** A paper of the list of papers. */
export interface PaperTable extends Validity {
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
  list: ListName | 'papers';
  entry_id: number;
  action: 'create' | 'replace' | 'delete';
  before: JSONColumnType<object, string, string> | null;
  after: JSONColumnType<object, string, string> | null;
}
