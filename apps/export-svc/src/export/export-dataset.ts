import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter } from 'prom-client';
import type { DatasetState } from '@esd/proto/esd/dataset/v1/dataset';
import type { VersionFile, VersionServiceService } from '@esd/proto/esd/dataset/v1/versions';
import { filterKey } from '@esd/record/filter';
import type { ClientKey } from '@esd/service/client';
import { clientShares } from '@esd/service/client-shares';
import { ServiceError } from '@esd/service/errors';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/entity-tag';
import type { Logger } from '@esd/service/log';
import { metrics } from '@esd/service/metrics';
import type { RpcClient } from '@esd/service/rpc-client';
import type { ByteCall, ByteHandler } from '@esd/service/byte-port';
import { builtFileObject, type BuiltFiles, type FileRecipe } from '../file/built-files.ts';
import type { StoredFile } from '../file/file-store.ts';
import type { About } from '../file/file-contents.ts';
import type { OpenImage } from '../file/record-images.ts';
import type { SendOutcome, SendStoredFile, StoredAnswer } from '../file/send-stored-file.ts';
import { BUILDER, writeFile } from '../file/write-file.ts';
import { formats, isStreamed, MEDIA_TYPES, type StreamedFormat } from './formats.ts';
import { type DatasetReader, openScan } from './open-scan.ts';
import { type ExportQuestion, readExportQuery, type StateQuestion } from './read-export-query.ts';
import { writeParts } from './write-parts.ts';

/** What exports are made from. */
export interface ExportParts {
  dataset: DatasetReader;
  versions: Pick<RpcClient<typeof VersionServiceService>, 'findVersion'>;
  built: BuiltFiles;
  /** Forgets a built file that is not in the store, or not as it was. */
  forget: (key: string, file: StoredFile) => Promise<void>;
  /** A stored file of a version, by the job that made it. */
  findVersionFile: (jobId: string, format: string) => Promise<(StoredFile & { objectKey: string }) | undefined>;
  send: SendStoredFile;
  openImage: OpenImage;
  log: Logger;
  /** Called for each whole file that a reader got. */
  countDownload: () => void;
}

/** The state that is exported. */
interface Source {
  /** What is said of it in the file. */
  name: string;
  kind: About['kind'];
  /** Part of the file name; absent: made from the revision. */
  fileName: string | undefined;
  cacheControl: string;
  /** Absent: the newest. */
  revision: number | undefined;
  /** The dataset of that revision, where it is known. */
  datasetId: string | undefined;
  /** The date of a version; else the state's own is meant. */
  date: Date | undefined;
  doi: string | undefined;
  license: string;
  /** Of a version: the job that stored its files. */
  jobId: string | undefined;
  /** Of a version: the files that it was frozen with. */
  files: readonly VersionFile[];
}

/** A reader that stalls costs about 2 MB. */
const MAX_STREAMS = 200;
const STREAM_AGAIN_SECONDS = 5;
const LICENSE = 'CC-BY-4.0';
const REVALIDATED = 'no-cache';
const PRIVATE = 'private, no-cache';
const IMMUTABLE = 'public, max-age=31536000, immutable';

const damagedReleaseFiles = new Counter({
  name: 'esd_damaged_release_files_total',
  help: 'Requests for a stored file of a release that is lost or not as it was stored.',
  labelNames: ['format'],
  registers: [metrics],
});

/**
 * GET /public/dataset/export: a state of the dataset as a file, see `readExportQuery`. json (a bare array of records) and csv are
 * streamed at the reader's pace, xlsx, zip and parquet are built once and kept; the unfiltered files of a version are those
 * that were stored when it was frozen, never others: one that is lost or damaged is UNAVAILABLE, and counted for an alarm.
 * Throws VERSION_NOT_FOUND, UNAVAILABLE while a file is being built, or 200 are streamed, RATE_LIMITED when the client has its
 * share of streams or of files to be built.
 */
export function exportDataset(parts: ExportParts): ByteHandler {
  const streams = clientShares({ name: 'downloads', max: MAX_STREAMS, retryAfterSeconds: STREAM_AGAIN_SECONDS });
  const streamOneMore = async (client: ClientKey, ...request: Parameters<typeof stream>): Promise<SendOutcome> => {
    const end = streams.take(client);
    try {
      return await stream(...request);
    } finally {
      end();
    }
  };
  return async (call, request, response) => {
    const question = readExportQuery(call.query);
    const source = await findSource(parts, question.state, call);
    const outcome =
      (await sendVersionFile(parts, question, source, call, request, response)) ??
      (isStreamed(question.format)
        ? await streamOneMore(call.client, parts, question, question.format, source, call, request, response)
        : await sendBuilt(parts, question, source, call, request, response));
    if (outcome === 'damaged') {
      throw new ServiceError(
        'UNAVAILABLE',
        'The stored file is lost or damaged in the store; it is not given out until it is there again as it was.',
      );
    }
    if (outcome === 'whole' && question.counted) parts.countDownload();
  };
}

async function findSource({ versions }: ExportParts, question: StateQuestion, call: ByteCall): Promise<Source> {
  const plain = {
    datasetId: undefined,
    date: undefined,
    doi: undefined,
    license: LICENSE,
    jobId: undefined,
    files: [],
  };
  switch (question.kind) {
    case 'latest':
      return {
        ...plain,
        name: 'latest',
        kind: 'latest',
        fileName: undefined,
        cacheControl: REVALIDATED,
        revision: undefined,
      };
    case 'snapshot': {
      const { id, name, revision, createdAt: date } = question;
      return { ...plain, name, kind: 'snapshot', fileName: `snapshot-${id}`, cacheControl: PRIVATE, revision, date };
    }
    case 'version': {
      const { version } = await versions.findVersion({ by: question.by }, call);
      if (!version?.state) throw new Error('a version without its state');
      const { identifier, state, createdAt, doi, license = LICENSE, jobId, files } = version;
      const { datasetId, revision } = state;
      const named = { name: identifier, kind: 'version', fileName: identifier } as const;
      return { ...named, cacheControl: IMMUTABLE, datasetId, revision, date: createdAt, doi, license, jobId, files };
    }
  }
}

/** The file that was stored with a version; undefined when it was frozen without one of this kind. */
async function sendVersionFile(
  { findVersionFile, send, log }: ExportParts,
  question: ExportQuestion,
  source: Source,
  call: ByteCall,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<SendOutcome | undefined> {
  if (source.jobId === undefined || question.filterJson !== undefined) return undefined;
  const { format } = question;
  const stored = await findVersionFile(source.jobId, format);
  const frozen = source.files.find((file) => file.format === format);
  if (!stored && !frozen) return undefined;
  const sendNow = async (): Promise<SendOutcome> => {
    // The store of another day than the dataset's.
    if (!stored || (frozen && frozen.sha256 !== stored.sha256)) return 'damaged';
    const { objectKey, ...file } = stored;
    const answer = { objectKey, file, tag: file.sha256, headers: headersOf(question, source, source.revision) };
    return isHeld(answer, request, response) ? 'part' : send(answer, request, response, call.signal);
  };
  const outcome = await sendNow();
  if (outcome === 'damaged') {
    damagedReleaseFiles.inc({ format });
    const { requestId } = call;
    const file = { version: source.name, format, objectKey: stored?.objectKey, sha256: frozen?.sha256 };
    log.error({ requestId, ...file }, 'a stored file of a release is lost or damaged; restore it from the backup');
  }
  return outcome;
}

async function stream(
  { dataset }: ExportParts,
  question: ExportQuestion,
  format: StreamedFormat,
  source: Source,
  call: ByteCall,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<SendOutcome> {
  const { filter, filterJson } = question;
  const scan = await openScan(
    dataset,
    { filterJson, revision: source.revision, atLeast: source.revision === undefined ? call.stateSeen : undefined },
    call,
  );
  try {
    const { datasetId, revision } = scan.state;
    // The same records are written otherwise by another builder.
    const tag = `${datasetId}.${revision}.${format}.${BUILDER}${filter.length > 0 ? `.${textTag(filterKey(filter))}` : ''}`;
    const headers = headersOf(question, source, revision);
    if (isHeld({ tag, headers }, request, response)) return 'part';
    response.writeHead(200, { ...headers, ETag: `"${tag}"` });
    if (request.method === 'HEAD') {
      response.end();
      return 'part';
    }
    await writeParts(formats[format].parts(scan.chunks, scan.matching), response, call.signal);
    return 'whole';
  } finally {
    await scan.close();
  }
}

async function sendBuilt(
  parts: ExportParts,
  question: ExportQuestion,
  source: Source,
  call: ByteCall,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<SendOutcome> {
  const state = await stateOf(parts.dataset, source, call);
  const recipe = recipeOf(parts, question, source, state);
  const { format } = question;
  const tag = `${state.revision}.${format}.${recipe.key.slice(0, 32)}`;
  const answer = { tag, objectKey: builtFileObject(recipe), headers: headersOf(question, source, state.revision) };
  if (isHeld(answer, request, response)) return 'part';
  const sendNow = async (): Promise<SendOutcome> => {
    const file = await parts.built.get(recipe, call.client, call.signal);
    const outcome = await parts.send({ ...answer, file }, request, response, call.signal);
    if (outcome === 'damaged') await parts.forget(recipe.key, file);
    return outcome;
  };
  const outcome = await sendNow();
  // It can be built again, as it was.
  return outcome === 'damaged' ? sendNow() : outcome;
}

async function stateOf(
  dataset: DatasetReader,
  { datasetId, revision }: Source,
  call: ByteCall,
): Promise<{ datasetId: string; revision: number }> {
  if (datasetId !== undefined && revision !== undefined) return { datasetId, revision };
  const { state } = await dataset.getHead({ atLeast: call.stateSeen }, call);
  if (!state) throw new Error('a dataset without a state');
  return { datasetId: state.datasetId, revision: revision ?? state.revision };
}

function recipeOf(
  { dataset, openImage }: ExportParts,
  { format, filterJson }: ExportQuestion,
  { name, kind, date, doi, license }: Source,
  { datasetId, revision }: { datasetId: string; revision: number },
): FileRecipe {
  const all = [
    BUILDER,
    datasetId,
    revision,
    format,
    filterJson ?? null,
    kind,
    name,
    date ?? null,
    doi ?? null,
    license,
  ];
  const key = createHash('sha256').update(JSON.stringify(all)).digest('hex');
  const write = async (path: string, signal: AbortSignal): Promise<void> => {
    const scan = await openScan(dataset, { filterJson, revision }, { requestId: `build-${key.slice(0, 12)}`, signal });
    try {
      const { matching: count, chunks, state } = scan;
      const about = { name, kind, date: date ?? dateOf(state), revision, count, filter: filterJson, doi, license };
      await writeFile(format, { about, chunks }, path, openImage);
    } finally {
      await scan.close();
    }
  };
  return { key, format, write };
}

/** When a state came to be; the dataset that never changed has the oldest date that a zip can hold. */
export function dateOf({ committedAt }: DatasetState): Date {
  return committedAt ?? new Date('1980-01-01T00:00:00Z');
}

function headersOf({ format, filterJson }: ExportQuestion, source: Source, revision?: number): Record<string, string> {
  const name = source.fileName ?? `latest-r${revision ?? 0}`;
  const parts = ['electrospinning-dataset', name, ...(filterJson === undefined ? [] : ['filtered'])];
  if (format === 'zip') parts.push('images');
  return {
    'Content-Type': MEDIA_TYPES[format],
    'Content-Disposition': `attachment; filename="${parts.join('-')}.${format}"`,
    'Cache-Control': source.cacheControl,
  };
}

/** Answers 304 when the caller holds the file, and says so. */
function isHeld(
  { tag, headers }: Pick<StoredAnswer, 'tag' | 'headers'>,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (!matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) return false;
  response.writeHead(304, { ETag: `"${tag}"`, 'Cache-Control': headers['Cache-Control'] ?? REVALIDATED }).end();
  return true;
}
