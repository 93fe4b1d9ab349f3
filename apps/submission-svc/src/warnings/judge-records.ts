import { createHash } from 'node:crypto';
import type { ExperimentData } from '@esd/record/catalogue';
import { contentText, duplicateText } from '@esd/record/content';
import { featureValues } from '@esd/record/feature-values';
import type { Warning } from '@esd/record/problems';
import type { References } from '@esd/record/reference';
import { type FeatureRanges, unusualValues } from '@esd/record/unusual-values';
import type { CheckedRecord } from '@esd/record/validate-submission';
import type { Kysely } from 'kysely';
import type { Asking, Turns } from '../submit/turns.ts';
import type { Tables } from '../tables.ts';
import { type Duplicate, findDuplicates } from './duplicates.store.ts';
import type { FeatureRangeCache } from './feature-ranges.ts';

/** A checked record with all of its warnings. */
export interface JudgedRecord extends CheckedRecord {
  /** The data as JSON text. */
  json: string;
  /** SHA-256 of the data whatever the order of its members. */
  contentHash: Buffer;
  /** SHA-256 of what likely duplicates have in common; null where nothing tells. */
  duplicateHash: Buffer | null;
}

interface Parts {
  database: Kysely<Tables>;
  references: References;
  ranges: FeatureRangeCache;
  turns: Turns;
}

/**
 * Adds the warnings that only other records can tell of: values far outside of the dataset's own, and likely duplicates
 * among the records given, the public ones and the caller's. `known.except` are ids of the records themselves. In turns
 * with others.
 */
export async function judgeRecords(
  { database, references, ranges, turns }: Parts,
  records: readonly CheckedRecord[],
  known: { accountId: string | undefined; except: readonly number[] },
  asking: Asking,
): Promise<JudgedRecord[]> {
  const judged = await turns.compute(asking, judgeAlone(records, references, ranges.current()));
  const hashes = new Map(judged.flatMap(({ duplicateHash: hash }) => (hash ? [[hash.toString('hex'), hash]] : [])));
  const stored = await findDuplicates(database, [...hashes.values()], known);
  const seen = new Map<string, number>();
  return judged.map((record, index) => {
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

/** What needs no other record, pausing after each. */
function* judgeAlone(
  records: readonly CheckedRecord[],
  references: References,
  usual: FeatureRanges,
): Generator<void, JudgedRecord[]> {
  const judged: JudgedRecord[] = [];
  for (const { data, missingFields, warnings } of records) {
    const unusual = usual.size > 0 ? unusualValues(featureValues(data, references), usual) : [];
    const common = duplicateText(data);
    judged.push({
      data,
      missingFields,
      warnings: [...warnings, ...unusual],
      json: JSON.stringify(data),
      contentHash: contentHash(data),
      duplicateHash: common === undefined ? null : sha256(common),
    });
    yield;
  }
  return judged;
}

/** SHA-256 of a record's data whatever the order of its members. */
export function contentHash(data: ExperimentData): Buffer {
  return sha256(contentText(data));
}

function likelyDuplicate(other: string): Warning {
  const message = `This is likely a duplicate: ${other} holds the same values under the same DOI.`;
  return { path: '', code: 'LIKELY_DUPLICATE', message };
}

function nameOf({ recordId, status, own }: Duplicate): string {
  return own ? `your record ${recordId} (${status})` : `record ${recordId} of the dataset`;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
