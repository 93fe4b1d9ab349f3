import type { Feature, TextKey } from '@esd/record/filter/filter-keys';
import type { Generated } from 'kysely';

/** The column of each feature, in the filter's unit. */
export const FEATURE_COLUMNS = {
  voltage: 'voltage',
  flowRate: 'flow_rate',
  tipDist: 'tip_dist',
  concentration: 'concentration',
  temp: 'temp',
  humidity: 'humidity',
  needleDiameter: 'needle_diameter',
  fiberDiameter: 'fiber_diameter',
  variation: 'variation',
  weight: 'weight',
  tensileStrength: 'tensile_strength',
  modulus: 'modulus',
  elongationAtBreak: 'elongation_at_break',
  surfaceArea: 'surface_area',
  porosity: 'porosity',
  permeability: 'permeability',
  wettability: 'wettability',
  electricalConductivity: 'electrical_conductivity',
  thermalConductivity: 'thermal_conductivity',
  fieldStrength: 'field_strength',
} as const satisfies Record<Feature, string>;

/** The column of each text key: which texts a record holds for it, as an id of index_term. */
export const TERM_COLUMNS = {
  doi: 'doi',
  polymer: 'polymer',
  solvent: 'solvent',
  collectorType: 'collector_type',
  needleType: 'needle_type',
  morphology: 'morphology',
  instability: 'instability',
  fractureBehaviour: 'fracture_behaviour',
} as const satisfies Record<TextKey, string>;

type FeatureColumn = (typeof FEATURE_COLUMNS)[Feature];
type TermColumn = (typeof TERM_COLUMNS)[TextKey];

// The table's keys are the features.
export const featureKeys = Object.keys(FEATURE_COLUMNS) as Feature[];
// The table's keys are the text keys.
export const termKeys = Object.keys(TERM_COLUMNS) as TextKey[];

/** Makes an object with a member for each key. */
export function byKey<Key extends string, Value>(
  keys: readonly Key[],
  valueOf: (key: Key) => Value,
): Record<Key, Value> {
  // The entries are the keys.
  return Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<Key, Value>;
}

/** The columns in the order of the keys. */
export const featureColumns: readonly FeatureColumn[] = Object.values(FEATURE_COLUMNS);
export const termColumns: readonly TermColumn[] = Object.values(TERM_COLUMNS);

/** One row of record_revision, narrow: what filters ask of it. */
export type IndexRow = {
  row_id: number;
  record_id: number;
  valid_from: number;
  valid_to: number | null;
  is_formation_stable: boolean | null;
  /** The features, a bit each in the order of `FEATURE_COLUMNS`, that the record has and that cannot be converted. */
  not_convertible: number | null;
  /** When the revision was approved. */
  published_at: Date | null;
  /** The number of the rules (`RULES`) by which the row was made. */
  rules: number | null;
} & Record<FeatureColumn, number | null> &
  Record<TermColumn, number | null>;

/** All texts that some record holds for a text key, told apart as a set: a JSON array of texts. */
export interface IndexTermTable {
  id: Generated<number>;
  field: TextKey;
  terms: string;
}
