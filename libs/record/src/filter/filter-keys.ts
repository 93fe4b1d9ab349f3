import {
  derivedFeatures,
  type Field,
  type Fields,
  type KeyGroup,
  type paperFacts,
  recordFields,
  type systemFacts,
} from '../catalog/catalog.ts';

type RecordField = (typeof recordFields)[keyof typeof recordFields];

/** The filter keys of all fields of the given kinds, at any depth. */
type KeysOf<F, Kind> = F extends { kind: Kind; filterKey: infer Key extends string }
  ? Key
  : F extends { fields: infer Inner }
    ? { [Member in keyof Inner]: KeysOf<Inner[Member], Kind> }[keyof Inner]
    : never;

/** A number of a record with the filters `<feature>Min` and `<feature>Max`. */
export type RecordFeature = KeysOf<RecordField, 'quantity' | 'number' | 'object'>;
type DerivedFeature = keyof typeof derivedFeatures;
/** A property of the pure solvents of a record: a single value, or the mean by volume ratio. */
export type SolventFeature = {
  [Name in DerivedFeature]: (typeof derivedFeatures)[Name] extends { solventProperty: string } ? Name : never;
}[DerivedFeature];
/** Record features and derived ones: the field strength is voltage / tip-collector distance. */
export type Feature = RecordFeature | DerivedFeature;
export type TextKey = KeysOf<RecordField, 'text' | 'name' | 'labels'>;

interface Read {
  readonly path: string;
  readonly column: string;
}

export interface FeatureKeys {
  readonly feature: Feature;
  readonly min: string;
  readonly max: string;
  /** The filter unit, as the unit list spells it. */
  readonly unit: string;
}

export interface RecordFeatureKeys extends FeatureKeys, Read {
  readonly feature: RecordFeature;
}

export interface TextKeyOf extends Read {
  readonly key: TextKey;
}

export interface FilteredField extends Read {
  readonly key: string;
  readonly field: Field;
  readonly group: KeyGroup | undefined;
}

function* filtered(fields: Fields, path = '', around?: string, group?: KeyGroup): Generator<FilteredField> {
  for (const [name, field] of Object.entries(fields)) {
    const column = field.column ?? around ?? '';
    const { filterKey } = field;
    if (filterKey !== undefined)
      yield { key: filterKey, field, path: path + name, column, group: field.keyGroup ?? group };
    const inside = field.kind === 'list' ? '[].' : '.';
    if (field.kind === 'group' || field.kind === 'list') {
      yield* filtered(field.fields, `${path}${name}${inside}`, field.column, field.keyGroup ?? group);
    }
  }
}

function isNumeric(field: Field): field is Extract<Field, { kind: 'quantity' | 'number' | 'object' }> {
  return field.kind === 'quantity' || field.kind === 'number' || field.kind === 'object';
}

/** The fields that have a filter key. */
export const filteredFields: readonly FilteredField[] = [...filtered(recordFields)];

export const recordFeatures: readonly RecordFeatureKeys[] = filteredFields.flatMap(({ key, field, path, column }) => {
  if (!isNumeric(field)) return [];
  const unit = field.kind === 'number' ? '1' : field.defaultUnit;
  // Safe cast: the filter key belongs to a field of one of these kinds.
  return unit === undefined
    ? []
    : [{ feature: key as RecordFeature, min: `${key}Min`, max: `${key}Max`, unit, path, column }];
});

// Safe cast: Object.keys returns the names of the table.
const derivedNames = Object.keys(derivedFeatures) as DerivedFeature[];

export const solventFeatures: readonly SolventFeature[] = derivedNames.filter(
  (name): name is SolventFeature => 'solventProperty' in derivedFeatures[name],
);

export function isSolventFeature(name: string): name is SolventFeature {
  return solventFeatures.some((feature) => feature === name);
}

export const features: readonly FeatureKeys[] = [
  ...recordFeatures,
  ...derivedNames.map((feature) => ({
    feature,
    min: `${feature}Min`,
    max: `${feature}Max`,
    unit: derivedFeatures[feature].unit,
  })),
];

export const textKeys: readonly TextKeyOf[] = filteredFields.flatMap(({ key, field, path, column }) => {
  if (field.kind !== 'text' && field.kind !== 'name' && field.kind !== 'labels') return [];
  // Safe cast: the filter key belongs to a field of one of these kinds.
  return [{ key: key as TextKey, path, column }];
});

/** A text key that the list of papers gives for the DOI of a record. */
export type PaperKey = keyof typeof paperFacts;
export const paperKeys = ['year', 'journal'] as const satisfies readonly PaperKey[];

export function isPaperKey(key: string): key is PaperKey {
  return paperKeys.some((known) => known === key);
}

/** A category whose value is the set of the names of a record. */
export type SystemKey = keyof typeof systemFacts;
/** The systems, with the keys of their names. */
export const systemNames = {
  polymerSystem: 'polymer',
  solventSystem: 'solvent',
} as const satisfies Readonly<Record<SystemKey, TextKey>>;

/** Joins the names of a system in its value. */
export const SYSTEM_DASH = '–';

export function isSystemKey(key: string): key is SystemKey {
  return Object.hasOwn(systemNames, key);
}

/** The key of a range: a feature or the year of the paper, which has no unit. */
export type RangeKey = Feature | 'year';

export interface RangeKeys extends Omit<FeatureKeys, 'feature'> {
  readonly feature: RangeKey;
}

export const rangeKeys: readonly RangeKeys[] = [
  ...features,
  { feature: 'year', min: 'yearMin', max: 'yearMax', unit: '1' },
];

/** The key of a category; facets count its values. */
export type CategoryKey = TextKey | SystemKey | PaperKey | 'isFormationStable';

export const categoryKeys = [
  'polymer',
  'solvent',
  'polymerSystem',
  'solventSystem',
  'collectorType',
  'needleType',
  'morphology',
  'instability',
  'isFormationStable',
  'fractureBehaviour',
  'doi',
  ...paperKeys,
] as const satisfies readonly CategoryKey[];

export const filterKeys: readonly string[] = [
  ...filteredFields.filter(({ field }) => !isNumeric(field)).map(({ key }) => key),
  'status',
  ...Object.keys(systemNames),
  ...paperKeys,
  ...rangeKeys.flatMap(({ min, max }) => [min, max]),
];
