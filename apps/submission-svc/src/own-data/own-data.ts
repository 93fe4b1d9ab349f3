import type { ExperimentData } from '@esd/record/catalog/catalog';
import { recordStatuses, type RecordStatus } from '@esd/record/status/record-status';
import { ServiceError } from '@esd/service/errors';
import type { Kysely } from 'kysely';
import { recordTag, submissionTag } from '../records/entity-tag.ts';
import type { Tables } from '../tables.ts';
import { jsonChunks } from './json-chunks.ts';
import {
  findOwnSubmission,
  findRecordHeads,
  type OwnRecordHead,
  ownRecords,
  ownSubmissions,
  type OwnSubmission,
  type Page,
  revisionContents,
  type SubmissionStates,
} from './own-data.store.ts';
import { ownRecordJson } from './own-record.ts';
import { shareMetadata } from './shared-metadata.ts';

export function listOwnRecords(
  database: Kysely<Tables>,
  accountId: string,
  status: RecordStatus | undefined,
  page: Page,
): AsyncGenerator<Buffer> {
  async function* items(): AsyncGenerator<string> {
    for await (const { data, ...state } of ownRecords(database, accountId, status, page)) {
      yield ownRecordJson(state, data);
    }
  }
  return jsonChunks('[', items(), ']');
}

export function listOwnSubmissions(database: Kysely<Tables>, accountId: string, page: Page): AsyncGenerator<Buffer> {
  async function* items(): AsyncGenerator<string> {
    for await (const submission of ownSubmissions(database, accountId, page)) {
      yield JSON.stringify(summaryOf(submission));
    }
  }
  return jsonChunks('[', items(), ']');
}

/** Returns EMPTY without records, the common status if all are equal, and otherwise MIXED. */
export function aggregateStatus(statuses: readonly RecordStatus[]): RecordStatus | 'MIXED' | 'EMPTY' {
  const [first, ...others] = statuses;
  if (first === undefined) return 'EMPTY';
  return others.every((status) => status === first) ? first : 'MIXED';
}

function summaryOf({ submissionId, submittedAt, records }: SubmissionStates) {
  const counts = recordStatuses.flatMap((status) => {
    const count = records.filter((record) => record.status === status).length;
    return count > 0 ? [[status, count] as const] : [];
  });
  return {
    submissionId,
    status: aggregateStatus(records.map(({ status }) => status)),
    submittedAt,
    recordCount: records.length,
    counts: Object.fromEntries(counts),
    unread: records.reduce((sum, { unread }) => sum + unread, 0),
    needsAnswer: records.some((record) => record.needsAnswer),
    records,
  };
}

/**
 * Returns one of an account's submissions as the SubmitDataDTO that would recreate it, from one point in time. Common
 * research metadata appears once, so editing it changes all records. Throws SUBMISSION_NOT_FOUND.
 */
export async function getOwnSubmission(
  database: Kysely<Tables>,
  accountId: string,
  submissionId: number,
): Promise<{ chunks: AsyncGenerator<Buffer>; entityTag: string }> {
  const submission = await findOwnSubmission(database, accountId, { submissionId });
  if (!submission) throw new ServiceError('SUBMISSION_NOT_FOUND', `You have no submission ${submissionId}.`);
  const heads = await findRecordHeads(database, { submissionId });
  const status = aggregateStatus(heads.map((head) => head.status));
  return {
    chunks: submissionJson(database, submission, { submissionId, status }, heads),
    entityTag: submissionTag(submissionId, heads),
  };
}

/** Returns one of an account's records as the SubmitDataDTO that would recreate it. Throws RECORD_NOT_FOUND. */
export async function getOwnExperiment(
  database: Kysely<Tables>,
  accountId: string,
  recordId: number,
): Promise<{ json: Buffer; entityTag: string }> {
  const submission = await findOwnSubmission(database, accountId, { recordId });
  const [head] = submission ? await findRecordHeads(database, { recordId }) : [];
  if (!submission || !head) throw new ServiceError('RECORD_NOT_FOUND', `You have no record ${recordId}.`);
  const { submissionId } = submission;
  const chunks: Buffer[] = [];
  for await (const chunk of submissionJson(database, submission, { submissionId }, [head])) chunks.push(chunk);
  return { json: Buffer.concat(chunks), entityTag: recordTag(recordId, head.revision) };
}

function submissionJson(
  database: Kysely<Tables>,
  { submittedAt, userMetadata, imageOnly }: OwnSubmission,
  first: object,
  heads: readonly OwnRecordHead[],
): AsyncGenerator<Buffer> {
  const { common, own } = shareMetadata(heads.map(({ researchMetadata }) => researchMetadata ?? {}));
  const head = { ...first, submittedAt, userMetadata, researchMetadata: common, imageOnly };
  async function* items(): AsyncGenerator<string> {
    let index = 0;
    for await (const content of revisionContents(database, heads)) {
      const state = heads[index];
      if (!state) throw new Error('more revisions than requested');
      const { researchMetadata: _, ...values } = readData(content.data);
      const research = own[index] ?? {};
      const data = Object.keys(research).length > 0 ? { researchMetadata: research, ...values } : values;
      yield ownRecordJson({ ...state, rejectionReason: content.rejectionReason }, JSON.stringify(data));
      index += 1;
    }
  }
  return jsonChunks(`${JSON.stringify(head).slice(0, -1)},"experimentData":[`, items(), ']}');
}

function readData(text: string): ExperimentData {
  // Only an ExperimentData is ever stored.
  return JSON.parse(text) as ExperimentData;
}
