import { isObject } from '@esd/record/validate/is-object';
import type { ShownRecord } from '@esd/pages/explore-data';
import { type Column } from '@esd/pages/explore-view';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { type Feature, recordFeatures } from '@esd/record/filter/filter-keys';
import { substancesOf } from '../materials.ts';
import { numberText } from '../format.ts';
import { type ChosenUnits, isFeature, shown } from '../names.ts';

/** Returns the text of a table cell; undefined if the record does not report the value. */
export function cellText(record: ShownRecord, column: Column, units: ChosenUnits): string | undefined {
  return isFeature(column) ? quantityText(record, column, units) : categoryText(record, column);
}

function quantityText(record: ShownRecord, feature: Feature, units: ChosenUnits): string | undefined {
  const value = record.normalized[feature];
  if (value === undefined) return undefined;
  const number = Number(shown(feature, value, units).toPrecision(isReported(feature) ? 6 : 3));
  return `${numberText(number)}${isUnitStated(record, feature) ? '' : '*'}`;
}

/** Returns whether records report a feature. The others are computed. */
function isReported(feature: Feature): boolean {
  return recordFeatures.some((keys) => keys.feature === feature);
}

/** Returns whether a record states the unit of a value. Always true for the needle diameter, which is computed from several fields. */
function isUnitStated(data: ExperimentData, feature: Feature): boolean {
  const path = recordFeatures.find((keys) => keys.feature === feature)?.path;
  if (path === undefined || feature === 'needleDiameter') return true;
  const [group = '', member = ''] = path.split('.');
  const values = memberOf(data, group);
  return memberOf(values, member) === undefined || memberOf(values, `${member}Unit`) !== undefined;
}

export function withoutUnit(records: readonly ShownRecord[], feature: Feature): number {
  return records.filter((record) => record.normalized[feature] !== undefined && !isUnitStated(record, feature)).length;
}

function categoryText(data: ExperimentData, key: Exclude<Column, Feature>): string | undefined {
  switch (key) {
    case 'polymer':
    case 'solvent':
      return joined(substancesOf(data, key), '–');
    case 'collectorType':
      return data.collectorProperty?.collectorType;
    case 'needleType':
      return data.needleProperty?.needleType;
    case 'morphology':
      return joined(
        data.fiberProperty?.fiberMorphology?.map(({ label }) => label),
        ', ',
      );
    case 'instability':
      return joined(
        data.processParameter?.instability?.map(({ label }) => label),
        ', ',
      );
    case 'isFormationStable': {
      const stable = data.fiberProperty?.isFormationStable;
      return stable === undefined ? undefined : stable ? 'yes' : 'no';
    }
    case 'fractureBehaviour':
      return data.mechanicalProperty?.fractureBehaviour;
    case 'doi':
      return data.researchMetadata?.doi;
  }
}

function joined(values: readonly (string | undefined)[] | undefined, by: string): string | undefined {
  const reported = (values ?? []).filter((value) => value !== undefined);
  return reported.length === 0 ? undefined : reported.join(by);
}

function memberOf(values: unknown, name: string): unknown {
  return isObject(values) ? values[name] : undefined;
}
