import { explainFilter, explainOutcomes } from '@esd/record/filter/explain-filter';
import { paperTerm } from '@esd/record/filter/text-terms';
import { parsePublicRecord } from '@esd/record/catalog/public-record';
import type { Kysely } from 'kysely';
import { filterFromWire } from '@esd/dataset-client/filter-wire';
import { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { RULES } from '@esd/record/rules';
import { requireRole } from '@esd/service/auth/require-caller';
import { ServiceError } from '@esd/service/errors';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import type { BodyStore } from '../bodies/body-store.ts';
import { commaSeparated, withFields, withNormalized, withPaper } from '../bodies/body-forms.ts';
import type { BulkReads } from '../bulk-reads.ts';
import type { Exploration, Explorer } from '../explore/explorer.ts';
import { unexplainedOfRecord } from '../explore/unexplained.ts';
import { describePublished, findPublications, findPublished, hasImages } from '../dataset-log/dataset-log.store.ts';
import { recordHistory } from '../dataset-log/record-history.ts';
import type { Found, ReadIndex } from '../read-index/read-index.ts';
import { findLogged } from '../publish/record-progress.ts';
import { referencesAt } from '../reference/references-at.ts';
import type { QueryRows } from '../query/query-rows.ts';
import type { RowsOfSnapshot, SnapshotRows } from '../snapshot/snapshot-rows.ts';
import type { Tables } from '../tables.ts';
import { readFields, readSortKey } from './read-question.ts';

const MAX_PER_PAGE = 1_000;
// Bodies have up to 256 KB each, so a statement reads at most 25 MB.
const BODIES_A_STATEMENT = 100;
/** Maximum bytes of the records in a response, below the maximum of a message. A larger page takes several calls. */
const BYTES_AN_ANSWER = 2 * 1024 * 1024;
// The client buffers up to 16 messages for a stalled reader.
const BYTES_A_MESSAGE = 64 * 1024;
const MAX_QUESTIONS = 40;
const MAX_CHOSEN = 10;
const NO_RECORD = {
  recordJson: Buffer.alloc(0),
  recordRevision: 0,
  publishedAt: undefined,
  firstPublishedAt: undefined,
  versions: [],
  normalizedJson: Buffer.alloc(0),
  unexplainedJson: Buffer.alloc(0),
};

export interface DatasetReads {
  database: Kysely<Tables>;
  index: ReadIndex;
  bodies: Pick<BodyStore, 'find'>;
  snapshotRows: Pick<SnapshotRows, 'find'>;
  queryRows: QueryRows;
  bulkReads: BulkReads;
  explorer: Explorer;
}

export function datasetRpc({
  database,
  index,
  bodies,
  snapshotRows,
  queryRows,
  bulkReads,
  explorer,
}: DatasetReads): RpcService {
  /** Reduces and extends bodies of rows as requested. */
  const inForm = async (
    { fields, normalized }: Form,
    rowIds: readonly number[],
    found: readonly Buffer[],
  ): Promise<readonly Buffer[]> => {
    const parts = fields.length > 0 ? await withFields(readFields(fields), found) : found;
    return normalized ? withNormalized(index, rowIds, parts) : parts;
  };
  /** Finds the stored rows of a snapshot or a query; undefined for a request with a filter. */
  const listedRows = ({ snapshotId, queryId }: Listed): Promise<RowsOfSnapshot> | undefined => {
    if (queryId !== undefined) return queryRows.find(queryId);
    return snapshotId === undefined ? undefined : snapshotRows.find(snapshotId);
  };
  return rpcService(DatasetServiceService, {
    getHead: async ({ atLeast }) => ({ state: await index.state(atLeast) }),

    queryRecords: async ({ skip, limit, filter, sort, afterRecordId, normalized, fields, ...of }) => {
      const { atLeast, revision, once } = of;
      if (skip < 0 || limit < 1 || limit > MAX_PER_PAGE) {
        throw new ServiceError('INVALID_PARAMETER', `\`skip\` must be at least 0 and \`limit\` 1 to ${MAX_PER_PAGE}.`);
      }
      const question = {
        filter: filterFromWire(filter),
        sort: sort.map(readSortKey),
        skip,
        limit,
        after: afterRecordId,
        atLeast,
        revision,
        once,
      };
      const listed = await listedRows(of);
      const found = listed ? pageOf(listed, skip, limit) : await index.find(question);
      const { state, total, rowIds, before, nextAfter } = found;
      const records = await firstBodies(rowIds, (ids) => bodies.find(state.datasetId, ids));
      const page = await inForm({ fields, normalized }, rowIds, records);
      const recordsJson = commaSeparated(page);
      return { state, total, recordsJson, records: page.length, before, nextAfter, rules: RULES };
    },

    getRecord: async ({ recordId, revision, atLeast, paper = false }, { signal }) => {
      const state = await index.state(revision === undefined ? atLeast : undefined);
      const stateRevision = revision ?? state.revision;
      const found = await describePublished(database, recordId, stateRevision);
      if (!('rowId' in found)) return { ...NO_RECORD, ...found, state };
      const { rowId, body, ...record } = found;
      const [values] = await index.featuresOf([{ rowId, recordId }]);
      const { answer: unexplained } = await index.ask({ revision: stateRevision, once: true }, (indexAtState) =>
        unexplainedOfRecord(indexAtState, recordId),
      );
      const papersJson = paper
        ? jsonOf((await explorer.explore(aboutRecord(recordId, stateRevision), signal)).papers)
        : undefined;
      return {
        ...record,
        state,
        recordJson: Buffer.from(body),
        normalizedJson: jsonOf(values),
        unexplainedJson: jsonOf(unexplained),
        papersJson,
      };
    },

    getRecordHistory: async ({ recordId, revision }) => {
      const revisions = await recordHistory(database, recordId, revision ?? (await index.state()).revision);
      return {
        revisions: revisions.map(({ changes, ...of }) => ({
          ...of,
          changes: changes?.total,
          changesJson: Buffer.from(JSON.stringify(changes?.first ?? [])),
        })),
      };
    },

    getRecordProgress: async ({ recordId }, context) => {
      requireRole(context, 'MODERATOR');
      const logged = await findLogged(database, recordId);
      // Read last: an index that is older than the log really is behind.
      const indexed = await index.state().catch(() => undefined);
      return { recordRevision: logged?.recordRevision, revision: logged?.revision, indexRevision: indexed?.revision };
    },

    explainFilter: async ({ filter: message, recordId, revision, once }) => {
      const filter = filterFromWire(message);
      const { state, total } = await index.find({ filter, skip: 0, limit: 1, revision, once });
      const references = await referencesAt(database, state.revision);
      const explained = {
        state,
        total,
        conditionsJson: Buffer.from(JSON.stringify(explainFilter(filter, references))),
      };
      if (recordId === undefined) return { ...explained, recordConditionsJson: Buffer.alloc(0) };
      const body = await findPublished(database, recordId, state.revision);
      const { data } = parsePublicRecord(body);
      const paper = await index.paperAt(paperTerm(data), state.revision);
      const outcomes = explainOutcomes(filter, data, references, paper);
      return {
        ...explained,
        recordMatches: outcomes.every(({ holds }) => holds),
        recordConditionsJson: Buffer.from(JSON.stringify(outcomes)),
      };
    },

    explore: async ({ filter, questions, records, recordIds, queryId, images, ...of }, { signal }) => {
      if (records && (records.skip < 0 || records.limit < 0 || records.limit > MAX_PER_PAGE)) {
        throw new ServiceError('INVALID_PARAMETER', `\`skip\` must be at least 0 and \`limit\` 0 to ${MAX_PER_PAGE}.`);
      }
      if (questions.length > MAX_QUESTIONS || recordIds.length > MAX_CHOSEN) {
        const message = `A request can have at most ${MAX_QUESTIONS} questions and ${MAX_CHOSEN} chosen records.`;
        throw new ServiceError('INVALID_PARAMETER', message);
      }
      const listed = queryId === undefined ? undefined : await queryRows.find(queryId);
      const { state, total, answersJson, rowIds, hasMore, chosenRowIds, papers, names } = await explorer.explore(
        {
          ...of,
          ...(listed && { revision: listed.state.revision, rowIds: listed.rowIds }),
          filter: filterFromWire(filter),
          questions: questions.flatMap(({ question }) => question ?? []),
          records: records && { ...records, sort: records.sort.map(readSortKey) },
          recordIds,
        },
        signal,
      );
      const read =
        (fields: readonly string[]): ReadBodies =>
        async (ids) =>
          inForm({ fields, normalized: true }, ids, await bodies.find(state.datasetId, ids));
      const page = await firstBodies(rowIds, read(records?.fields ?? []));
      const publications = records?.before ? await findPublications(database, rowIds.slice(0, page.length)) : [];
      const last = publications.at(-1);
      return {
        state,
        total,
        answersJson,
        recordsJson: jsonArray(page),
        publications,
        nextBefore: last && (hasMore || page.length < rowIds.length) ? last : undefined,
        chosenJson: jsonArray(await firstBodies(chosenRowIds, read([]))),
        papersJson: papers && jsonOf(papers),
        namesJson: names && jsonOf(names),
        hasImages: images
          ? // Most datasets have no image, and a list of rows can be long.
            (await hasImages(database, state.revision)) && (!listed || (await hasImages(database, listed.rowIds)))
          : undefined,
      };
    },

    getFeatureRanges: async () => index.featureRanges(),

    scanRecords: ({ revision, filter, atLeast, once, sort, normalized, fields, paper, ...listed }, context) =>
      bulkReads.run(context, async function* (turn) {
        const { state, rowIds } = await turn(
          () =>
            listedRows(listed) ??
            index.findAll(filterFromWire(filter), { revision, atLeast, once, sort: sort.map(readSortKey) }),
        );
        yield { part: { $case: 'state', value: state }, matching: rowIds.length, rules: RULES };
        const read = (ids: readonly number[]) =>
          turn(async () => {
            const parts = await inForm({ fields, normalized }, ids, await bodies.find(state.datasetId, ids));
            return paper ? withPaper(index, state.revision, ids, parts) : parts;
          });
        for await (const recordsJson of bodiesByMessage(rowIds, read)) {
          yield { part: { $case: 'records', value: { recordsJson } }, matching: 0 };
        }
      }),
  });
}

/** Returns an exploration that names only the paper of a record. */
function aboutRecord(recordId: number, revision: number): Exploration {
  return { revision, filter: [], version: '', questions: [], recordIds: [recordId], papers: true };
}

function jsonOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function pageOf({ state, rowIds }: RowsOfSnapshot, skip: number, limit: number): Found {
  const page = [...rowIds.subarray(skip, skip + limit)];
  return { state, total: rowIds.length, rowIds: page, before: 0, nextAfter: undefined };
}

interface Listed {
  snapshotId?: number | undefined;
  queryId?: string | undefined;
}

interface Form {
  /** Empty: all members. */
  fields: readonly string[];
  normalized: boolean;
}

type ReadBodies = (rowIds: readonly number[]) => Promise<readonly Buffer[]>;

/** Yields bodies in order, at least one and as many as fit one message at a time. */
async function* bodiesByMessage(
  rowIds: readonly number[] | Int32Array,
  read: ReadBodies,
): AsyncGenerator<Buffer[], undefined> {
  let message: Buffer[] = [];
  let bytes = 0;
  for (let start = 0; start < rowIds.length; start += BODIES_A_STATEMENT) {
    for (const body of await read([...rowIds.slice(start, start + BODIES_A_STATEMENT)])) {
      if (message.length > 0 && bytes + body.length > BYTES_A_MESSAGE) {
        yield message;
        message = [];
        bytes = 0;
      }
      message.push(body);
      bytes += body.length;
    }
  }
  if (message.length > 0) yield message;
  return undefined;
}

/** Returns the first bodies, at least one and as many as fit one answer. */
async function firstBodies(rowIds: readonly number[], read: ReadBodies): Promise<Buffer[]> {
  const answer: Buffer[] = [];
  let bytes = 0;
  for (let start = 0; start < rowIds.length; start += BODIES_A_STATEMENT) {
    for (const body of await read(rowIds.slice(start, start + BODIES_A_STATEMENT))) {
      bytes += body.length;
      if (answer.length > 0 && bytes > BYTES_AN_ANSWER) return answer;
      answer.push(body);
    }
  }
  return answer;
}

function jsonArray(parts: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('['), commaSeparated(parts), Buffer.from(']')]);
}
