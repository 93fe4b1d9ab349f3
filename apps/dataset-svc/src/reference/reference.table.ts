import type { GeneratedAlways } from 'kysely';

/** An entry as it was from one dataset revision to another. */
interface Validity {
  row_id: GeneratedAlways<number>;
  /** Stays the same through all rows of an entry. */
  entry_id: number;
  valid_from: number;
  valid_to: number | null;
}

export interface SubstanceTable extends Validity {
  list: 'polymers' | 'solvents';
  name: string;
  full_name: string | null;
  cas_number: string | null;
  abbreviation: string | null;
  aliases: string[];
  kind: string;
  note: string | null;
  same_as: string | null;
}

export interface UnitTable extends Validity {
  unit: string;
  name: string;
  dimension: string;
  canonical: string | null;
  factor: number | null;
  offset: number | null;
  aliases: string[];
}

export interface MorphologyTable extends Validity {
  category: string;
  label: string;
  abbreviation: string | null;
  definition: string;
  synonyms: string[];
}

export interface InstabilityTable extends Validity {
  label: string;
  category: string;
  definition: string;
  synonyms: string[];
}

export interface AmbiguousTextTable extends Validity {
  list: 'polymers' | 'solvents' | 'units' | 'morphologies' | 'instabilities';
  text: string;
  meanings: string[];
}
