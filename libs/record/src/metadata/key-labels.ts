import { derivedFeatures, type KeyDescription, type KeyGroup, paperFacts, systemFacts } from '../catalog/catalog.ts';
import type { Filter } from '../filter/filter.ts';
import { type CategoryKey, type Feature, filteredFields } from '../filter/filter-keys.ts';

/** A setting has a value before the run; every other key is a result. */
export type KeyKind = 'setting' | 'result';

export interface KeyLabel {
  /** The display name on all pages. */
  readonly label: string;
  readonly group: KeyGroup;
  readonly kind: KeyKind;
}

export type DescribedKey = KeyDescription & KeyLabel & { readonly key: Feature | CategoryKey };

const GROUPS = {
  solution: 'setting',
  process: 'setting',
  ambient: 'setting',
  fiber: 'result',
  properties: 'result',
  paper: 'setting',
} as const satisfies Readonly<Record<KeyGroup, KeyKind>>;

/** The facts about all features and categories, by group, in the order of `/metadata/features`. */
export const describedKeys: readonly DescribedKey[] = inOrder([
  ...filteredFields.map(({ key, field, group }) => describedKey(key, field, group)),
  ...Object.entries({ ...derivedFeatures, ...systemFacts, ...paperFacts }).map(([key, facts]) =>
    describedKey(key, facts, facts.keyGroup),
  ),
]);

function describedKey(key: string, facts: Partial<KeyDescription>, group: KeyGroup | undefined): DescribedKey {
  const { label, meaning, details } = facts;
  if (label === undefined || meaning === undefined || details === undefined || group === undefined) {
    throw new Error(`The catalog does not describe the key ${key}.`);
  }
  // Safe cast: the catalog determines both types.
  return { ...facts, key: key as Feature | CategoryKey, label, meaning, details, group, kind: GROUPS[group] };
}

function inOrder(keys: readonly DescribedKey[]): DescribedKey[] {
  const listed = Object.keys(GROUPS).flatMap((group) => keys.filter((one) => one.group === group));
  const moved = listed.filter(({ listedAfter }) => listedAfter !== undefined);
  return listed
    .filter((described) => !moved.includes(described))
    .flatMap((described) => [described, ...moved.filter(({ listedAfter }) => listedAfter === described.key)]);
}

/** The labels by key. */
export const keyLabels = Object.fromEntries(
  describedKeys.map(({ key, label, group, kind }) => [key, { label, group, kind }]),
) as Readonly<Record<Feature | CategoryKey, KeyLabel>>;

/** All features and categories, in the order of their labels. */
export const orderedKeys: readonly (Feature | CategoryKey)[] = describedKeys.map(({ key }) => key);

const results: ReadonlySet<string> = new Set(orderedKeys.filter((key) => keyLabels[key].kind === 'result'));

/** Returns whether a filter key or the key of a recipe is a result. `status` is not. */
export function isResult(key: string): boolean {
  return results.has(key);
}

/** Returns the filter of the tried records: the conditions on settings, and the status. */
export function triedFilter(filter: Filter): Filter {
  return filter.filter(({ key }) => !isResult(key));
}
