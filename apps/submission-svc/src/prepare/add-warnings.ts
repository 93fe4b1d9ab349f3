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

export type PreparedRecord = ValidRecord & RevisionContent;

export type WarningContext = Pick<RecordContext, 'database' | 'queues' | 'references'> & { ranges: FeatureRangeCache };

/**
 * Adds the warnings that need other records: unusual values, and likely duplicates among these records, public ones, and
 * those of the caller. Runs in the queue of computations.
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
  return prepared.map((record, index) => {
    const warnings = [...record.warnings];
    if (record.duplicateHash) {
      const hash = record.duplicateHash.toString('hex');
      const duplicate = stored.get(hash);
      if (duplicate) warnings.push(likelyDuplicate(nameOf(duplicate)));
      const earlier = seen.get(hash);
      if (earlier === undefined) seen.set(hash, index);
      else warnings.push(likelyDuplicate(`experimentData[${earlier}]`));
    }
    return { ...record, warnings };
  });
}

/** Prepares records independently of each other, pausing after each. */
function* prepareInSteps(
  records: readonly ValidRecord[],
  references: References,
  usual: FeatureRanges,
): Generator<void, PreparedRecord[]> {
  const prepared: PreparedRecord[] = [];
  for (const { data, missingFields, warnings } of records) {
    const unusual = usual.size > 0 ? unusualValues(featureValues(data, references), usual) : [];
    prepared.push({
      data,
      missingFields,
      warnings: [...warnings, ...unusual],
      json: JSON.stringify(data),
      contentHash: contentHash(data),
      duplicateHash: duplicateHash(data),
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
