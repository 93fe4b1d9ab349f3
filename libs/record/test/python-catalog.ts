import { memberOfColumn, columnTypes, summaries } from '../src/flatten/flatten.ts';
import { normalizedColumnOf } from '../src/flatten/normalized-columns.ts';
import { recordFields } from '../src/catalog/catalog.ts';
import type { Fields } from '../src/catalog/catalog.ts';
import { recordStatuses } from '../src/status/record-status.ts';
import { fileFormats } from '../src/catalog/file-formats.ts';
import { categoryKeys, features, filterKeys, rangeKeys, recordFeatures } from '../src/filter/filter-keys.ts';
import type { Feature } from '../src/filter/filter-keys.ts';
import { conditionStatuses } from '../src/filter/filter.ts';
import { plainSpelling, rangeNames, textNames } from '../src/filter/nearest-filter-key.ts';
import { keyLabels } from '../src/metadata/key-labels.ts';
import { sortKeyNames } from '../src/filter/sort-keys.ts';
import { needleGauges } from '../src/units/needle-gauges.ts';
import { seedLists } from './seed-lists.ts';

export const pythonCatalogFile = new URL('../../../clients/python/src/esd_client/_catalog.json', import.meta.url);

function membersOf(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]): [string, unknown][] => {
      if (field.kind === 'group' || field.kind === 'list') return [[name, membersOf(field.fields)]];
      return field.kind === 'quantity'
        ? [
            [name, field.kind],
            [`${name}Unit`, 'unit'],
          ]
        : [[name, field.kind]];
    }),
  );
}

/**
 * Returns the text of `_catalog.json`: columns without those of units, features, filter keys, units and gauges. The
 * members are those of the classes in `catalog.py`.
 */
export function pythonCatalog(): string {
  const columns = [...columnTypes].flatMap(([name, type]) => {
    const { group, member, kind, nameMember } = memberOfColumn(name) ?? {};
    return kind === 'unit' ? [] : [{ name, type, group, member, kind, name_member: nameMember }];
  });
  const byFeature = new Map(features.map((feature) => [feature.feature, feature]));
  const columnOf = new Map<Feature, string>(recordFeatures.map(({ feature, column }) => [feature, column]));
  return text({
    columns,
    summaries: summaries.map(({ components, isBlend, names }) => ({ components, isBlend, names })),
    features: (Object.keys(normalizedColumnOf) as Feature[]).map((key) => {
      const { min, max, unit } = byFeature.get(key) ?? {};
      const { label } = keyLabels[key];
      return { key, min, max, unit, label, column: columnOf.get(key), normalized_column: normalizedColumnOf[key] };
    }),
    members: membersOf(recordFields),
    paper_ranges: rangeKeys.flatMap(({ feature: key, min, max, unit }) =>
      key === 'year' ? [{ key, min, max, unit, label: keyLabels[key].label }] : [],
    ),
    value_keys: filterKeys.filter((key) => !rangeKeys.some(({ min, max }) => key === min || key === max)),
    text_names: withoutRepeats(textNames),
    range_names: withoutRepeats(rangeNames.map(([name, { feature }]) => [name, feature])),
    category_keys: categoryKeys,
    sort_keys: sortKeyNames,
    filter_statuses: conditionStatuses,
    record_statuses: recordStatuses,
    files: Object.fromEntries(Object.entries(fileFormats).map(([name, { fileName }]) => [name, fileName])),
    formats: Object.fromEntries(
      Object.entries(fileFormats).map(([name, { mediaType }]) => [name, mediaType.replace(/;.*/, '')]),
    ),
    gauges: needleGauges.map(({ gauge, innerDiameterMm }) => [gauge, innerDiameterMm]),
    units: seedLists.units.map(({ unit, name, dimension, factor, offset, aliases }) => ({
      unit,
      dimension,
      factor,
      offset,
      aliases: [name, ...aliases],
    })),
  });
}

/** Leaves out a name with the key and the plain spelling of an earlier one. */
function withoutRepeats(names: readonly (readonly [name: string, key: string])[]): (readonly [string, string])[] {
  const byName = new Map<string, readonly [string, string]>();
  for (const [name, key] of names) {
    const spelling = `${plainSpelling(name)} ${key}`;
    if (!byName.has(spelling)) byName.set(spelling, [name, key]);
  }
  return [...byName.values()];
}

/** Writes JSON with one line per list item, for readable diffs. */
function text(catalog: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(catalog).map(([name, value]) => {
    if (!Array.isArray(value)) return `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
    return `${JSON.stringify(name)}: [\n  ${value.map((item) => JSON.stringify(item)).join(',\n  ')}\n]`;
  });
  return `{\n${parts.join(',\n')}\n}\n`;
}
