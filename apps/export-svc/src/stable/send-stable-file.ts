import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DatasetDescriptions } from '@esd/dataset-client/dataset-descriptions';
import { BUNDLE, type FileFormatName, fileFormats, formatOfFile, MANIFEST } from '@esd/record/catalog/file-formats';
import type { ObjectStore } from '@esd/object-store/object-store';
import { ServiceError } from '@esd/service/errors';
import { DATASET_REVISION } from '@esd/api/dataset-headers';
import { textTag } from '@esd/service/http/entity-tag';
import type { EndpointCall, EndpointHandler } from '@esd/service/http/internal-endpoints';
import { damagedFile } from '../export/release-file.ts';
import { sendNotModified } from '../files/send-not-modified.ts';
import type { SendOutcome, SendStoredFile } from '../files/send-stored-file.ts';
import { bundle } from './bundle.ts';
import { manifest } from './manifest.ts';
import { sendParts } from './send-parts.ts';
import { findStableFile, type StableFile, type StableFileParts } from './stable-files.ts';
import { findStableState, readState, type StableState } from './stable-state.ts';

export interface StableParts extends StableFileParts {
  store: ObjectStore;
  send: SendStoredFile;
  descriptions: DatasetDescriptions;
  /** Counts a file that was sent completely, except the manifest. */
  countDownload: (version: string, format: string) => void;
}

interface Wanted {
  state: StableState;
  name: string;
  call: EndpointCall;
  request: IncomingMessage;
  response: ServerResponse;
}

/** The caching of content that is made from mutable metadata. */
const REVALIDATED = 'no-cache';

/**
 * Implements GET /files/{version}/{name}, which returns a stored file, the manifest or the bundle. Throws the errors of
 * `findStableFile`, and ROUTE_NOT_FOUND for another name.
 */
export function stableFiles(parts: StableParts): EndpointHandler {
  return async (call, request, response) => {
    const { version = '', name = '' } = call.parameters;
    const state = await findStableState(parts, version, call);
    const wanted = { state, name, call, request, response };
    const format = formatOfFile(name);
    const outcome = format === undefined ? await sendMade(parts, wanted) : await sendStored(parts, wanted, format);
    const counted = format ?? (name === BUNDLE ? 'bundle' : undefined);
    if (outcome === 'whole' && counted !== undefined) parts.countDownload(state.source.version, counted);
  };
}

async function sendStored(parts: StableParts, wanted: Wanted, format: FileFormatName): Promise<SendOutcome> {
  const { state, call, request, response } = wanted;
  const sendNow = async (): Promise<SendOutcome> => {
    const found = await findStableFile(parts, state, format, call);
    const { file } = found;
    const headers = headersOf(wanted, fileFormats[format].mediaType, state.source.cacheControl, file.sha256);
    const answer = { ...found, tag: file.sha256, headers };
    if (sendNotModified(answer, request, response)) return 'part';
    const outcome = await parts.send(answer, request, response, call.signal);
    if (outcome === 'damaged') await found.lost();
    return outcome;
  };
  const outcome = await sendNow();
  if (outcome !== 'damaged') return outcome;
  // A file that does not belong to a release is built again.
  const again = state.source.frozen ? outcome : await sendNow();
  if (again === 'damaged') throw damagedFile();
  return again;
}

async function sendMade(parts: StableParts, wanted: Wanted): Promise<SendOutcome> {
  const { state, name, call, request, response } = wanted;
  if (name !== MANIFEST && name !== BUNDLE) throw new ServiceError('ROUTE_NOT_FOUND', `There is no file "${name}".`);
  const { source, revision } = state;
  const description = source.frozen
    ? await parts.descriptions.ofRelease(source.name, call)
    : await parts.descriptions.ofState(await readState(parts.dataset, revision, call), call);
  const files: StableFile[] = [];
  for (const { format } of description.files) files.push(await findStableFile(parts, state, format, call));
  const listed = files.map(({ format, file: { bytes, sha256 }, columns }) => ({ format, bytes, sha256, columns }));
  const text = manifest(description, source.digest, listed);
  const body = Buffer.from(text);
  const isManifest = name === MANIFEST;
  const made = isManifest
    ? { tag: textTag(text), parts: [{ header: body, bytes: body.length }] }
    : await bundle(description, text, files);
  const sha256 = isManifest ? createHash('sha256').update(body).digest('hex') : undefined;
  const headers = headersOf(wanted, isManifest ? 'application/json' : 'application/zip', REVALIDATED, sha256);
  if (sendNotModified({ tag: made.tag, headers }, request, response)) return 'part';
  return sendParts(parts.store, made, headers, { request, response, signal: call.signal });
}

function headersOf(
  { state, name }: Wanted,
  mediaType: string,
  cacheControl: string,
  sha256: string | undefined,
): Record<string, string> {
  const fileName = `electrospinning-dataset-${state.source.fileName ?? ''}-${name}`;
  return {
    'Content-Type': mediaType,
    'Content-Disposition': `attachment; filename="${fileName}"`,
    'Cache-Control': cacheControl,
    [DATASET_REVISION]: String(state.revision),
    // The digest of the complete file, even for a range (RFC 9530, section 3).
    ...(sha256 === undefined ? {} : { 'Repr-Digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:` }),
  };
}
