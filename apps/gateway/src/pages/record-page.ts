import { exploreOne } from '@esd/dataset-client/explore-one';
import { z } from 'zod';
import type { RecordContext, RecordPage, PublishedRevision } from '@esd/pages/page';
import type { RecordRevision } from '@esd/proto/esd/dataset/v1/dataset';
import { features } from '@esd/record/filter/filter-keys';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import type { Call } from '../http/call.ts';
import type { DescribedRecord, Descriptions } from '../metadata/descriptions.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { changedFields } from './changed-fields.ts';

// As many bars as a strip has room for.
const BINS = 30;
const NEIGHBORS = 20;

const counted = z.int().min(0);
const numberOrNull = z.number().nullable();
const isStable = z.boolean().nullable();

const contextAnswer = z.object({
  places: z.array(
    z.object({
      feature: z.enum(features.map(({ feature }) => feature)),
      unit: z.string(),
      value: z.number(),
      count: counted,
      lower: counted,
      edges: z.array(z.number()),
      counts: z.array(counted),
    }),
  ),
  ofPaper: counted,
  sameSolution: z.object({
    total: counted,
    records: z.array(
      z.object({
        recordId: z.int(),
        voltage: numberOrNull,
        tipDist: numberOrNull,
        fiberDiameter: numberOrNull,
        isFormationStable: isStable,
      }),
    ),
  }),
  repeats: z.array(z.int()),
  doubts: z.array(z.string()),
  nearest: z
    .object({
      total: counted,
      neighbors: z.array(
        z.object({
          recordId: z.int(),
          distance: z.number(),
          parts: z.record(
            z.string(),
            z.object({
              value: z.union([z.number(), z.array(z.string()), z.null()]),
              distance: z.number(),
              missing: z.boolean(),
            }),
          ),
          fiberDiameter: numberOrNull,
          isFormationStable: isStable,
          doi: z.string().nullable(),
        }),
      ),
      fiberDiameter: z.object({ count: counted, q25: numberOrNull, median: numberOrNull, q75: numberOrNull }),
      stable: z.object({ yes: counted, no: counted, unknown: counted }),
      reliability: z.object({ polymer: z.string(), medianAbsoluteLogError: numberOrNull }).nullable(),
    })
    .nullable(),
}) satisfies z.ZodType<RecordContext>;

/** Makes what the page of a record shows, now or in a release, and what dataset-svc answered of it. It throws VERSION_NOT_FOUND and RECORD_NOT_FOUND. */
export function recordPages(
  { dataset }: Pick<Upstream, 'dataset'>,
  states: DatasetStates,
  descriptions: Descriptions,
): (version: string, recordId: number, call: Call) => Promise<{ page: RecordPage; found: DescribedRecord['found'] }> {
  return async (version, recordId, call) => {
    const { datasetRevision, found, ...described } = await descriptions.ofRecord(version, recordId, call);
    const question = { $case: 'recordContext', value: { recordId, bins: BINS, neighbors: NEIGHBORS } } as const;
    const [{ answerJson }, { revisions }] = await Promise.all([
      exploreOne(dataset, { question, revision: datasetRevision, atLeast: states.seen() }, call),
      dataset.getRecordHistory({ recordId, revision: datasetRevision }, call),
    ]);
    const context = contextAnswer.parse(JSON.parse(Buffer.from(answerJson).toString()));
    return { page: { kind: 'record', ...described, context, history: revisions.map(revisionOf) }, found };
  };
}

function revisionOf({
  recordRevision,
  publishedAt,
  versions,
  changes,
  changesJson,
}: RecordRevision): PublishedRevision {
  if (!publishedAt) throw new Error('a published revision without the time of its publication');
  return {
    revision: recordRevision,
    publishedAt: publishedAt.toISOString(),
    versions,
    changes: changes === undefined ? undefined : { total: changes, first: changedFields(changesJson) },
  };
}
