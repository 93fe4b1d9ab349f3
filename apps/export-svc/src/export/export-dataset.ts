import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type FileFormatName,
  fileFormats,
  isStreamed,
  type StreamedFormatName,
} from '@esd/record/catalog/file-formats';
import { filterKey } from '@esd/record/filter/filter';
import type { ClientKey } from '@esd/service/quota-client';
import { clientShares } from '@esd/service/client-shares';
import { RULES } from '@esd/record/rules';
import { ALLOWANCES } from '@esd/api/allowances';
import { DATASET_REVISION } from '@esd/api/dataset-headers';
import { readStateSeen } from '@esd/dataset-client/dataset-state';
import { textTag } from '@esd/service/http/entity-tag';
import type { EndpointCall, EndpointHandler } from '@esd/service/http/internal-endpoints';
import { builtFileObject, type BuiltFiles } from '../files/built-files.ts';
import { isPlain, openScan, type RecordForm } from '../files/open-scan.ts';
import { sendNotModified } from '../files/send-not-modified.ts';
import type { SendOutcome, SendStoredFile } from '../files/send-stored-file.ts';
import type { StoredFile } from '../files/stored-file.ts';
import { readAhead, writeStream } from '../files/write-stream.ts';
import { BUILDER, scanForm, streamFile } from '../files/writers.ts';
import { fileRecipe, type RecipeParts, stateOf } from './file-recipe.ts';
import { findSource, type Source, type SourceParts } from './find-source.ts';
import { damagedFile, findReleaseFile, type ReleaseFileStore, reportDamaged } from './release-file.ts';
import { readExportRequest } from './read-export-request.ts';

export interface ExportDependencies extends SourceParts, RecipeParts, ReleaseFileStore {
  built: BuiltFiles;
  /** Deletes the row of a built file whose object is lost or altered. */
  forget: (key: string, file: StoredFile) => Promise<void>;
  setBuiltFileTag: (key: string, entityTag: string | undefined) => Promise<void>;
  send: SendStoredFile;
  /** Counts a file that was sent completely. */
  countDownload: (version: string, format: FileFormatName) => void;
}

interface Download {
  format: FileFormatName;
  form: RecordForm;
  source: Source;
  call: EndpointCall;
  request: IncomingMessage;
  response: ServerResponse;
}

/**
 * Implements GET /public/dataset/export. Streams json and csv, and builds and stores files of other formats once.
 * Serves unfiltered files of a release as stored by its freeze. Throws the errors of `findSource`, and UNAVAILABLE for
 * a lost or damaged file, during a build, or beyond the limit of streams. Throws RATE_LIMITED beyond the client's share
 * of streams or builds.
 */
export function exportDataset(dependencies: ExportDependencies): EndpointHandler {
  const streams = clientShares({ name: 'downloads', max: ALLOWANCES.shares.downloads.amount });
  const streamWithinShare = async (client: ClientKey, ...rest: Parameters<typeof stream>): Promise<SendOutcome> => {
    const end = streams.acquire(client);
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
    if (outcome === 'damaged') throw damagedFile();
    if (outcome === 'whole' && counted) dependencies.countDownload(source.version, format);
  };
}

/**
 * Sends the frozen file of a release. Returns undefined if there is no such file, or if the request changes the form.
 */
async function sendReleaseFile(
  dependencies: ExportDependencies,
  { format, form, source, call, request, response }: Download,
): Promise<SendOutcome | undefined> {
  if (source.filter !== undefined || !isPlain(form)) return undefined;
  const stored = await findReleaseFile(dependencies, source, format);
  if (!stored) return undefined;
  const sendNow = async (): Promise<SendOutcome> => {
    if (stored === 'damaged') return 'damaged';
    const { objectKey, ...file } = stored;
    const headers = headersOf(format, form, source, source.revision ?? 0);
    const setEntityTag = (entityTag: string | undefined) => dependencies.setReleaseFileTag(objectKey, entityTag);
    const answer = { objectKey, file, tag: file.sha256, headers, setEntityTag };
    return sendNotModified(answer, request, response)
      ? 'part'
      : dependencies.send(answer, request, response, call.signal);
  };
  const outcome = await sendNow();
  if (outcome === 'damaged') {
    const objectKey = stored === 'damaged' ? undefined : stored.objectKey;
    reportDamaged(dependencies, call.requestId, source, format, objectKey);
  }
  return outcome;
}

async function stream(
  { dataset }: ExportDependencies,
  format: StreamedFormatName,
  { form, source, call, request, response }: Download,
): Promise<SendOutcome> {
  const { filter, revision: wanted, snapshotId, queryId } = source;
  const atLeast = wanted === undefined ? readStateSeen(call) : undefined;
  const ofRecords = scanForm(format, form);
  const range = { filter: filter?.conditions, revision: wanted, atLeast, snapshotId, queryId, form: ofRecords };
  const scan = await openScan(dataset, range, call);
  try {
    const { datasetId, revision } = scan.state;
    // The writers determine the bytes of the records, and the rules determine which records match.
    const tag = [
      ...[datasetId, revision, format, BUILDER, RULES],
      ...(snapshotId === undefined ? [] : [`snapshot-${snapshotId}`]),
      ...(queryId === undefined ? [] : [`query-${queryId}`]),
      ...(filter ? [textTag(filter.conditions ? filterKey(filter.conditions) : '')] : []),
      ...(isPlain(form) ? [] : [textTag(JSON.stringify(form))]),
    ].join('.');
    const headers = headersOf(format, form, source, revision);
    if (sendNotModified({ tag, headers }, request, response)) return 'part';
    const begin = (): void => void response.writeHead(200, { ...headers, ETag: `"${tag}"` });
    if (request.method === 'HEAD') {
      begin();
      response.end();
      return 'part';
    }
    const file = await readAhead(streamFile(format, { chunks: scan.chunks, normalized: form.normalized }));
    begin();
    await writeStream(file, response, call.signal);
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
  const recipe = fileRecipe(dependencies, { format, form, source }, state);
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
  // A damaged file is built again, with the same bytes.
  return outcome === 'damaged' ? sendNow() : outcome;
}

function headersOf(
  format: FileFormatName,
  { sort, normalized, fields, once }: RecordForm,
  source: Source,
  revision: number,
): Record<string, string> {
  const { mediaType, nameEnding } = fileFormats[format];
  const stem = [
    'electrospinning-dataset',
    source.fileName ?? `latest-r${revision}`,
    ...(source.filter ? ['filtered'] : []),
    ...(once ? ['once'] : []),
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
