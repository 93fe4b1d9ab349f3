import { settingsText } from '@esd/record/catalog/settings-text';
import { isUnexplained } from '@esd/record/catalog/unexplained';
import { featureValues } from '@esd/record/filter/feature-values';
import type { References } from '@esd/record/reference/reference';
import type { RecordWarning } from '@esd/record/validate/problems';
import type { ValidRecord } from '@esd/record/validate/validate-submission';
import { contentHash, duplicateHash } from '../records/content.ts';
import type { RecordContext, RecordRequest } from '../records/context.ts';
import type { RevisionContent } from '../records/revision.store.ts';
import { type Duplicate, findDuplicates } from './duplicates.store.ts';
import type { FeatureRangeCache } from './feature-ranges.ts';
import { type FeatureRanges, unusualValues } from './unusual-values.ts';

const MAX_NAMED = 5;

export type PreparedRecord = ValidRecord & RevisionContent;

/** A prepared record with what is compared with the other records of its request. */
type ComparedRecord = PreparedRecord & { settings: string | undefined; fiberDiameter: number | undefined };

export type WarningContext = Pick<RecordContext, 'database' | 'queues' | 'references'> & { ranges: FeatureRangeCache };

/**
 * Adds the warnings that need other records: unusual values; likely duplicates among these records, public ones, and
 * those of the caller; and other results of equal settings among these records. Runs in the queue of computations.
 * @param known the `accountId` of the caller, and the ids of these records in `except`
 */
export async function addWarnings(
  { database, references, ranges, queues }: WarningContext,
  records: readonly ValidRecord[],
  known: { accountId: string | undefined; except: readonly number[] },
  request: RecordRequest,
): Promise<PreparedRecord[]> {
  const lists = (await references.current(request)).references;
  const prepared = await queues.compute(request, prepareInSteps(records, lists, ranges.current()));
  const hashes = new Map(prepared.flatMap(({ duplicateHash: hash }) => (hash ? [[hash.toString('hex'), hash]] : [])));
  const stored = await findDuplicates(database, [...hashes.values()], known);
  const seen = new Map<string, number>();
  const otherResults = otherResultsOf(prepared);
  return prepared.map(({ settings: _, fiberDiameter: __, ...record }, index) => {
    const warnings = [...record.warnings];
    if (record.duplicateHash) {
      const hash = record.duplicateHash.toString('hex');
      const duplicate = stored.get(hash);
      if (duplicate) warnings.push(likelyDuplicate(nameOf(duplicate)));
      const earlier = seen.get(hash);
      if (earlier === undefined) seen.set(hash, index);
      else warnings.push(likelyDuplicate(`experimentData[${earlier}]`));
    }
    warnings.push(...(otherResults.get(index) ?? []));
    return { ...record, warnings };
  });
}

/** Returns the warning of each record whose settings have fiber diameters that differ by more than a factor of 1.5, by index. */
function otherResultsOf(prepared: readonly ComparedRecord[]): Map<number, RecordWarning[]> {
  const measured = prepared.flatMap(({ settings, fiberDiameter = 0 }, index) =>
    settings === undefined || fiberDiameter <= 0 ? [] : [{ index, settings, fiberDiameter }],
  );
  const warnings = new Map<number, RecordWarning[]>();
  for (const group of Map.groupBy(measured, ({ settings }) => settings).values()) {
    const diameters = group.map(({ fiberDiameter }) => fiberDiameter);
    const [low, high] = [Math.min(...diameters), Math.max(...diameters)];
    if (!isUnexplained(low, high)) continue;
    const names = group.slice(0, MAX_NAMED).map(({ index }) => `experimentData[${index}]`);
    const more = group.length > MAX_NAMED ? ` and ${group.length - MAX_NAMED} more` : '';
    const message = `${names.join(', ')}${more} report the same settings and ${low} to ${high} nm. Something that is not recorded differed, or a value is wrong. Check the values, or describe the difference in \`remarks\`.`;
    for (const { index } of group)
      warnings.set(index, [{ path: 'fiberProperty.fiberDiameter', code: 'SAME_SETTINGS_OTHER_RESULT', message }]);
  }
  return warnings;
}

/** Prepares records independently of each other, pausing after each. */
function* prepareInSteps(
  records: readonly ValidRecord[],
  references: References,
  usual: FeatureRanges,
): Generator<void, ComparedRecord[]> {
  const prepared: ComparedRecord[] = [];
  for (const { data, missingFields, warnings } of records) {
    const values = featureValues(data, references);
    const unusual = usual.size > 0 ? unusualValues(values, usual) : [];
    prepared.push({
      data,
      missingFields,
      warnings: [...warnings, ...unusual],
      json: JSON.stringify(data),
      contentHash: contentHash(data),
      duplicateHash: duplicateHash(data),
      settings: settingsText(data, references),
      fiberDiameter: values.fiberDiameter,
    });
    yield;
  }
  return prepared;
}

function likelyDuplicate(other: string): RecordWarning {
  const message = `This is likely a duplicate: ${other} has the same values and the same DOI.`;
  return { path: '', code: 'LIKELY_DUPLICATE', message };
}

function nameOf({ recordId, status, own }: Duplicate): string {
  return own ? `your record ${recordId} (${status})` : `record ${recordId} of the dataset`;
}
