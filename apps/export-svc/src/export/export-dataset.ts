import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter } from 'prom-client';
import type { DatasetState } from '@esd/proto/esd/dataset/v1/dataset';
import {
  type FileFormatName,
  fileFormats,
  isStreamed,
  type StreamedFormatName,
} from '@esd/record/catalogue/file-formats';
import type { ClientKey } from '@esd/service/auth/client';
import { clientShares } from '@esd/service/client-shares';
import { sortText } from '@esd/record/filter/sort-keys';
import { RULES } from '@esd/record/rules';
import { ServiceError } from '@esd/service/errors';
import type { Logger } from '@esd/service/health/log';
import { metrics } from '@esd/service/health/metrics';
import { DATASET_REVISION } from '@esd/service/http/dataset-revision';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/http/entity-tag';
import type { EndpointCall, EndpointHandler } from '@esd/service/http/internal-endpoints';
import { builtFileObject, type BuiltFiles, type FileRecipe } from '../files/built-files.ts';
import { type DatasetReader, isPlain, openScan, type RecordForm } from '../files/open-scan.ts';
import type { OpenImage } from '../files/record-images.ts';
import type { SendOutcome, SendStoredFile, StoredAnswer } from '../files/send-stored-file.ts';
import type { StoredFile } from '../files/stored-file.ts';
import { writeStream } from '../files/write-stream.ts';
import { BUILDER, streamFile, writeFile } from '../files/writers.ts';
import { findSource, REVALIDATED, type Source, type SourceClients } from './find-source.ts';
import { readExportRequest } from './read-export-request.ts';

/** What exports work with. */
export interface ExportDependencies extends SourceClients {
  dataset: DatasetReader;
  built: BuiltFiles;
  /** Deletes the row of a built file that is not in the store, or not as it was. */
  forget: (key: string, file: StoredFile) => Promise<void>;
  setBuiltFileTag: (key: string, entityTag: string | undefined) => Promise<void>;
  /** A stored file of a release, by the job that made it. */
  findReleaseFile: (jobId: string, format: string) => Promise<(StoredFile & { objectKey: string }) | undefined>;
  setReleaseFileTag: (objectKey: string, entityTag: string | undefined) => Promise<void>;
  send: SendStoredFile;
  openImage: OpenImage;
  log: Logger;
  /** Called for each whole file that a reader got. */
  countDownload: (version: string, format: FileFormatName) => void;
}

/** One request for a file. */
interface Download {
  format: FileFormatName;
  form: RecordForm;
  source: Source;
  call: EndpointCall;
  request: IncomingMessage;
  response: ServerResponse;
}

/** A reader that stalls costs about 2 MB. */
const MAX_STREAMS = 200;
const STREAM_RETRY_SECONDS = 5;

const damagedReleaseFiles = new Counter({
  name: 'esd_damaged_release_files_total',
  help: 'Requests for a stored file of a release that is lost or not as it was stored.',
  labelNames: ['format'],
  registers: [metrics],
});

/**
 * GET /public/dataset/export: a state of the dataset as a file, see `readExportRequest`. Streamed formats are written at the
 * reader's pace, stored ones are built once and kept; the unfiltered files of a release are those that were stored when it was
 * frozen, never others: one that is lost or damaged is UNAVAILABLE, and counted for an alarm. Throws what `findSource` throws,
 * UNAVAILABLE while a file is being built or 200 are streamed, RATE_LIMITED when the client has its share of streams or of
 * files to be built.
 */
export function exportDataset(dependencies: ExportDependencies): EndpointHandler {
  const streams = clientShares({ name: 'downloads', max: MAX_STREAMS, retryAfterSeconds: STREAM_RETRY_SECONDS });
  const streamWithinShare = async (client: ClientKey, ...rest: Parameters<typeof stream>): Promise<SendOutcome> => {
    const end = streams.take(client);
    try {
      return await stream(...rest);
    } finally {
      end();
    }
  };
  return async (call, request, response) => {
    const { format, counted, ...wanted } = readExportRequest(call);
    const source = await findSource(dependencies, wanted, call);
    const download = { format, form: wanted.form, source, call, request, response };
    const outcome =
      (await sendReleaseFile(dependencies, download)) ??
      (isStreamed(format)
        ? await streamWithinShare(call.client, dependencies, format, download)
        : await sendBuilt(dependencies, download));
    if (outcome === 'damaged') {
      throw new ServiceError(
        'UNAVAILABLE',
        'The stored file is lost or damaged in the store; it is not sent until it has been restored.',
      );
    }
    if (outcome === 'whole' && counted) dependencies.countDownload(source.version, format);
  };
}

/** The file that was stored with a release; undefined when it was frozen without one of this format. */
async function sendReleaseFile(
  { findReleaseFile, setReleaseFileTag, send, log }: ExportDependencies,
  { format, form, source, call, request, response }: Download,
): Promise<SendOutcome | undefined> {
  if (source.frozen?.jobId === undefined || source.filter !== undefined || !isPlain(form)) return undefined;
  const stored = await findReleaseFile(source.frozen.jobId, format);
  const frozen = source.frozen.files.find((file) => file.format === format);
  if (!stored && !frozen) return undefined;
  const sendNow = async (): Promise<SendOutcome> => {
    // The store of another day than the dataset's.
    if (!stored || (frozen && frozen.sha256 !== stored.sha256)) return 'damaged';
    const { objectKey, ...file } = stored;
    const headers = headersOf(format, form, source, source.revision ?? 0);
    const setEntityTag = (entityTag: string | undefined) => setReleaseFileTag(objectKey, entityTag);
    const answer = { objectKey, file, tag: file.sha256, headers, setEntityTag };
    return sendNotModified(answer, request, response) ? 'part' : send(answer, request, response, call.signal);
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
  { dataset }: ExportDependencies,
  format: StreamedFormatName,
  { form, source, call, request, response }: Download,
): Promise<SendOutcome> {
  const { filter, revision: wanted, snapshotId, queryId } = source;
  const atLeast = wanted === undefined ? call.stateSeen : undefined;
  const range = { filterJson: filter?.json, revision: wanted, atLeast, snapshotId, queryId, form };
  const scan = await openScan(dataset, range, call);
  try {
    const { datasetId, revision } = scan.state;
    // Another builder writes the same records as other bytes, by other rules a filter finds others.
    const tag = [
      ...[datasetId, revision, format, BUILDER, RULES],
      ...(snapshotId === undefined ? [] : [`snapshot-${snapshotId}`]),
      ...(queryId === undefined ? [] : [`query-${queryId}`]),
      ...(filter ? [textTag(filter.key)] : []),
      ...(isPlain(form) ? [] : [textTag(JSON.stringify(form))]),
    ].join('.');
    const headers = headersOf(format, form, source, revision);
    if (sendNotModified({ tag, headers }, request, response)) return 'part';
    response.writeHead(200, { ...headers, ETag: `"${tag}"` });
    if (request.method === 'HEAD') {
      response.end();
      return 'part';
    }
    await writeStream(streamFile(format, { chunks: scan.chunks, normalized: form.normalized }), response, call.signal);
    return 'whole';
  } finally {
    await scan.close();
  }
}

async function sendBuilt(
  dependencies: ExportDependencies,
  { format, form, source, call, request, response }: Download,
): Promise<SendOutcome> {
  const { dataset, built, send, forget, setBuiltFileTag } = dependencies;
  const state = await stateOf(dataset, source, call);
  const recipe = recipeOf(dependencies, { format, form, source }, state);
  const answer = {
    tag: `${state.revision}.${format}.${recipe.key.slice(0, 32)}`,
    objectKey: builtFileObject(recipe),
    headers: headersOf(format, form, source, state.revision),
    setEntityTag: (entityTag: string | undefined) => setBuiltFileTag(recipe.key, entityTag),
  };
  if (sendNotModified(answer, request, response)) return 'part';
  const sendNow = async (): Promise<SendOutcome> => {
    const file = await built.get(recipe, call.client, call.signal);
    const outcome = await send({ ...answer, file }, request, response, call.signal);
    if (outcome === 'damaged') await forget(recipe.key, file);
    return outcome;
  };
  const outcome = await sendNow();
  // It can be built again, with the same bytes.
  return outcome === 'damaged' ? sendNow() : outcome;
}

async function stateOf(
  dataset: DatasetReader,
  { datasetId, revision }: Source,
  call: EndpointCall,
): Promise<{ datasetId: string; revision: number }> {
  if (datasetId !== undefined && revision !== undefined) return { datasetId, revision };
  const { state } = await dataset.getHead({ atLeast: call.stateSeen }, call);
  if (!state) throw new Error('a dataset without a state');
  return { datasetId: state.datasetId, revision: revision ?? state.revision };
}

function recipeOf(
  { dataset, openImage }: ExportDependencies,
  { format, form, source }: Pick<Download, 'format' | 'form' | 'source'>,
  { datasetId, revision }: { datasetId: string; revision: number },
): FileRecipe {
  const { name, kind, date, doi, license, filter, snapshotId, queryId } = source;
  const filterJson = filter?.json;
  const sort = source.sort ?? (form.sort.length > 0 ? sortText(form.sort) : undefined);
  const all = [
    BUILDER,
    RULES,
    datasetId,
    revision,
    format,
    filterJson ?? null,
    kind,
    name,
    date ?? null,
    doi ?? null,
    license,
    snapshotId ?? null,
    ...(queryId === undefined ? [] : [queryId]),
    ...(isPlain(form) ? [] : [form]),
  ];
  const key = createHash('sha256').update(JSON.stringify(all)).digest('hex');
  const { mediaType } = fileFormats[format];
  const write: FileRecipe['write'] = async (path, signal) => {
    const scan = await openScan(
      dataset,
      { filterJson, revision, snapshotId, queryId, form },
      { requestId: `build-${key.slice(0, 12)}`, signal },
    );
    try {
      const { matching: count, chunks, state } = scan;
      const about = {
        name,
        kind,
        date: date ?? dateOf(state),
        revision,
        count,
        filter: filterJson,
        sort,
        doi,
        license,
      };
      return await writeFile(format, { about, chunks, normalized: form.normalized }, path, openImage);
    } finally {
      await scan.close();
    }
  };
  return { key, format, mediaType, write };
}

/** When a state came to be; the dataset that never changed has the oldest date that a zip can hold. */
function dateOf({ committedAt }: DatasetState): Date {
  return committedAt ?? new Date('1980-01-01T00:00:00Z');
}

function headersOf(
  format: FileFormatName,
  { sort, normalized, fields }: RecordForm,
  source: Source,
  revision: number,
): Record<string, string> {
  const { mediaType, nameEnding } = fileFormats[format];
  const stem = [
    'electrospinning-dataset',
    source.fileName ?? `latest-r${revision}`,
    ...(source.filter ? ['filtered'] : []),
    ...(sort.length > 0 ? ['sorted'] : []),
    ...(fields.length > 0 ? ['fields'] : []),
    ...(normalized ? ['normalized'] : []),
  ].join('-');
  return {
    'Content-Type': mediaType,
    'Content-Disposition': `attachment; filename="${stem}${nameEnding}"`,
    'Cache-Control': source.cacheControl,
    [DATASET_REVISION]: String(revision),
  };
}

/** Answers 304 when the caller has the file already; false when it does not. */
function sendNotModified(
  { tag, headers }: Pick<StoredAnswer, 'tag' | 'headers'>,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (!matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) return false;
  const { 'Cache-Control': cacheControl = REVALIDATED, [DATASET_REVISION]: revision = '0' } = headers;
  response.writeHead(304, { ETag: `"${tag}"`, 'Cache-Control': cacheControl, [DATASET_REVISION]: revision }).end();
  return true;
}
