import type { ListName } from '@esd/record/reference/reference';
import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';

/** An entry as it was from one dataset revision to another. */
interface Validity {
  row_id: GeneratedAlways<number>;
  /** Stays the same through all rows of an entry. */
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
  /** Of a solvent. */
  inchi_key: string | null;
  /** Of a solvent. */
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

/** A change of an entry; rows are only ever added. */
export interface ReferenceChangeTable {
  id: GeneratedAlways<number>;
  /** The dataset revision that it took. */
  revision: number;
  at: Generated<Date>;
  /** Opaque account id of who made it. */
  account_id: string;
  request_id: string;
  list: ListName;
  entry_id: number;
  action: 'create' | 'replace' | 'delete';
  /** The entry before and after; null where there was or is none. */
  before: JSONColumnType<object, string, string> | null;
  after: JSONColumnType<object, string, string> | null;
}
