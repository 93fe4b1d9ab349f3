import type { Feature, TextKey } from '@esd/record/filter/filter-keys';
import type { Generated } from 'kysely';

/** The column of each feature, in the unit of its filter. Append only: the bits of `not_convertible` are in this order. */
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
  solventBoilingPoint: 'solvent_boiling_point',
  solventDielectricConstant: 'solvent_dielectric_constant',
  solventHansenHydrogen: 'solvent_hansen_hydrogen',
  fiberDiameterCount: 'fiber_diameter_count',
} as const satisfies Record<Feature, string>;

/** The column of each text key: the texts of a record, as an id of index_term. */
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

// Object.keys returns string[]; the tables have exactly these keys.
export const featureKeys = Object.keys(FEATURE_COLUMNS) as Feature[];
export const termKeys = Object.keys(TERM_COLUMNS) as TextKey[];

export function byKey<Key extends string, Value>(
  keys: readonly Key[],
  valueOf: (key: Key) => Value,
): Record<Key, Value> {
  return Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<Key, Value>;
}

export const featureColumns: readonly FeatureColumn[] = Object.values(FEATURE_COLUMNS);
export const termColumns: readonly TermColumn[] = Object.values(TERM_COLUMNS);

/** The filterable values of one row of record_revision. */
export type IndexRow = {
  row_id: number;
  record_id: number;
  valid_from: number;
  valid_to: number | null;
  is_formation_stable: boolean | null;
  /** A bit for each feature, in the order of `FEATURE_COLUMNS`, whose value cannot be converted. */
  not_convertible: number;
  published_at: Date;
  /** Whether the record gives the title of its paper. */
  has_title: boolean;
  /** Equal for records that repeat each other, see `repeatText`; null for a record without a paper. */
  repeat_key: number | null;
  /** Equal for records of a paper with the same settings; null for a record without a paper. */
  settings_key: number | null;
  /** The number of the rules (`RULES`) by which the row was derived. */
  rules: number;
} & Record<FeatureColumn, number | null> &
  Record<TermColumn, number | null>;

/** A distinct set of texts that a record has for a text key: a sorted JSON array. */
export interface IndexTermTable {
  id: Generated<number>;
  field: TextKey;
  terms: string;
}
