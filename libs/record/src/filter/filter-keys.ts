import { recordFields } from '../catalog/catalog.ts';
import type { Field, Fields } from '../catalog/catalog.ts';

type RecordField = (typeof recordFields)[keyof typeof recordFields];

/** The filter keys of all fields of the given kinds, however deep they stand. */
type KeysOf<F, Kind> = F extends { kind: Kind; filterKey: infer Key extends string }
  ? Key
  : F extends { fields: infer Inner }
    ? { [Member in keyof Inner]: KeysOf<Inner[Member], Kind> }[keyof Inner]
    : never;

/** A number that a record holds and that can be filtered by `<feature>Min` and `<feature>Max`. */
export type RecordFeature = KeysOf<RecordField, 'quantity' | 'object'>;
/** Every such number, with those that are derived from others: the field strength is voltage / tip-collector distance. */
export type Feature = RecordFeature | 'fieldStrength';
/** A key that searches texts of a record. */
export type TextKey = KeysOf<RecordField, 'text' | 'name' | 'labels'>;

interface Read {
  /** The member of a record that is read, as in `processParameter.voltage`. */
  readonly path: string;
  /** The flattened column that holds it. */
  readonly column: string;
}

export interface FeatureKeys {
  readonly feature: Feature;
  readonly min: string;
  readonly max: string;
  /** The unit of the filter's numbers, as the unit list spells it. */
  readonly unit: string;
}

export interface RecordFeatureKeys extends FeatureKeys, Read {
  readonly feature: RecordFeature;
}

export interface TextKeyOf extends Read {
  readonly key: TextKey;
}

interface Filtered extends Read {
  readonly key: string;
  readonly field: Field;
}

function* filtered(fields: Fields, path = '', around?: string): Generator<Filtered> {
  for (const [name, field] of Object.entries(fields)) {
    const column = field.column ?? around ?? '';
    const { filterKey } = field;
    if (filterKey !== undefined) yield { key: filterKey, field, path: path + name, column };
    const inside = field.kind === 'list' ? '[].' : '.';
    if (field.kind === 'group' || field.kind === 'list') {
      yield* filtered(field.fields, `${path}${name}${inside}`, field.column);
    }
  }
}

const all = [...filtered(recordFields)];

/** Every feature that a record holds, with its two keys, in the order of the catalog. */
export const recordFeatures: readonly RecordFeatureKeys[] = all.flatMap(({ key, field, path, column }) => {
  if ((field.kind !== 'quantity' && field.kind !== 'object') || field.defaultUnit === undefined) return [];
  // A filter key of a field of one of these kinds: that is what RecordFeature says.
  return [{ feature: key as RecordFeature, min: `${key}Min`, max: `${key}Max`, unit: field.defaultUnit, path, column }];
});

/** Every feature with its two keys: those that a record holds, then the derived one. */
export const features: readonly FeatureKeys[] = [
  ...recordFeatures,
  { feature: 'fieldStrength', min: 'fieldStrengthMin', max: 'fieldStrengthMax', unit: 'kV/cm' },
];

/** Every key that searches texts, in the order of the catalog. */
export const textKeys: readonly TextKeyOf[] = all.flatMap(({ key, field, path, column }) => {
  if (field.kind !== 'text' && field.kind !== 'name' && field.kind !== 'labels') return [];
  // A filter key of a field of one of these kinds: that is what TextKey says.
  return [{ key: key as TextKey, path, column }];
});

/** A key whose values records are counted by. */
export type CategoryKey = TextKey | 'isFormationStable';

/** Every such key. */
export const categoryKeys = [
  'polymer',
  'solvent',
  'collectorType',
  'needleType',
  'morphology',
  'instability',
  'isFormationStable',
  'fractureBehaviour',
  'doi',
] as const satisfies readonly CategoryKey[];

/** Every key that a filter may have. */
export const filterKeys: readonly string[] = [
  ...all.filter(({ field }) => field.kind !== 'quantity' && field.kind !== 'object').map(({ key }) => key),
  'status',
  ...features.flatMap(({ min, max }) => [min, max]),
];
