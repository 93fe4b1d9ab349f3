import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { UPLOAD_FILE_BYTES, UPLOAD_FORM_BYTES } from '@esd/api/allowances';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { ServiceError } from '@esd/service/errors';

/** Returns the expected size of a form: the announced size, at most the limit. */
export function announcedBytes(request: IncomingMessage): number {
  return Math.min(Number(request.headers['content-length'] ?? Infinity), UPLOAD_FORM_BYTES);
}

/**
 * Writes the member `file` of a form to `path`. Throws UNSUPPORTED_MEDIA_TYPE for another type of body,
 * PAYLOAD_TOO_LARGE beyond 20 MB, and INVALID_REQUEST for a malformed form or other members. Throws the reason of the
 * signal if it aborts.
 */
export async function readUpload(request: IncomingMessage, path: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data *;/i.test(type)) {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'The body must be multipart/form-data with the member "file".');
  }
  const tooLarge = new ServiceError('PAYLOAD_TOO_LARGE', `The file is larger than ${UPLOAD_FILE_BYTES} bytes (20 MB).`);
  if (Number(request.headers['content-length'] ?? 0) > UPLOAD_FORM_BYTES) throw tooLarge;
  const form = openForm(request, type);
  const broken = new AbortController();
  let written: Promise<void> | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (message: string, cause?: unknown): void => {
        reject(new ServiceError('INVALID_REQUEST', message, { cause }));
      };
      form.on('file', (name, stream) => {
        // The form also reports the error of a malformed file.
        stream.on('error', () => undefined);
        if (name !== 'file') fail(`The form has the file "${name.slice(0, 80)}"; its name must be "file".`);
        written = pipeline(stream, createWriteStream(path), { signal: broken.signal });
        written.catch(reject);
        stream.on('limit', () => {
          reject(tooLarge);
        });
      });
      const onlyFile = (): void => {
        fail('The form must contain one file, the member "file", and nothing else.');
      };
      form.on('filesLimit', onlyFile).on('fieldsLimit', onlyFile).on('partsLimit', onlyFile);
      form.on('error', (cause) => {
        fail('The multipart/form-data body is malformed.', cause);
      });
      form.on('finish', () => {
        if (written) written.then(resolve, reject);
        else fail('The form lacks the member "file".');
      });
      request.once('close', () => {
        if (!request.complete) fail('The body ended before its announced length.');
      });
      signal.addEventListener('abort', () => {
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted', { cause: signal.reason }));
      });
      // A request closed before this point emits no further event.
      if (request.destroyed) fail('The body ended before its announced length.');
      else request.pipe(form);
    });
  } finally {
    request.unpipe(form);
    // Discards the rest of the body, within the time limit of the request.
    request.on('error', () => undefined).resume();
    broken.abort();
    await written?.catch(() => undefined);
  }
}

function openForm(request: IncomingMessage, type: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': type },
      limits: { files: 1, fileSize: UPLOAD_FILE_BYTES, fields: 0, headerPairs: 20 },
    });
  } catch (cause) {
    throw new ServiceError('INVALID_REQUEST', 'The content type of the form lacks its boundary.', { cause });
  }
}
