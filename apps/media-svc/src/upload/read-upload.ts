import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { UPLOAD_FILE_BYTES, UPLOAD_FORM_BYTES } from '@esd/api/allowances';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { FormError } from '@esd/service/http/internal-endpoints';
import type { ErrorItem } from '@esd/service/http/error-body';
import { ServiceError } from '@esd/service/errors';

const FIELD_BYTES = 4 * 1024;
const FIELDS = ['imageType', 'imageDefinition'] as const;

/** Returns the declared size of a form in bytes, up to the maximum; without a declared size, the maximum. */
export function announcedBytes(request: IncomingMessage): number {
  return Math.min(Number(request.headers['content-length'] ?? Infinity), UPLOAD_FORM_BYTES);
}

/** A received form; `file` is a path. */
export interface Upload {
  file: string;
  imageType: string | undefined;
  /** Unparsed JSON. */
  imageDefinition: string | undefined;
}

/**
 * Reads the form of an upload: `file`, which it writes to `folder`, and the texts `imageType` and `imageDefinition` of at
 * most 4 KB. Throws PAYLOAD_TOO_LARGE for more than 20 MB, UNSUPPORTED_MEDIA_TYPE for anything but multipart/form-data,
 * INVALID_REQUEST for an incomplete form, and VALIDATION_FAILED with every missing or unexpected field.
 */
export async function readUpload(request: IncomingMessage, folder: string): Promise<Upload> {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*;.*boundary=/i.test(type)) {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'The body must be multipart/form-data with the image as `file`.');
  }
  const file = join(folder, 'upload');
  const problems: ErrorItem[] = [];
  const texts = new Map<string, string>();
  let written: Promise<void> | undefined;
  let open: BusboyFileStream | undefined;
  const form = new Busboy({
    headers: { ...request.headers, 'content-type': type },
    isPartAFile: (name) => name === 'file',
    limits: {
      fileSize: UPLOAD_FILE_BYTES,
      fieldSize: FIELD_BYTES,
      fieldNameSize: 100,
      fields: 10,
      files: 2,
      headerPairs: 20,
    },
  });
  await new Promise<void>((resolve, reject) => {
    const fail = (error: ServiceError): void => {
      // Discards the rest of the body, so that the caller reads the response.
      request.unpipe(form).resume();
      open?.destroy(error);
      reject(error);
    };
    const broken = (cause: unknown): void => {
      fail(new ServiceError('INVALID_REQUEST', 'The multipart/form-data body is incomplete.', { cause }));
    };
    const tooLarge = (): void => {
      fail(new ServiceError('PAYLOAD_TOO_LARGE', `The file is larger than ${UPLOAD_FILE_BYTES} bytes (20 MB).`));
    };
    form.on('file', (_name, stream) => {
      if (open) {
        problems.push({ path: 'file', code: 'TOO_MANY_ITEMS', message: 'Send one file at a time.' });
        stream.resume();
        return;
      }
      open = stream;
      stream.once('limit', tooLarge);
      written = pipeline(stream, createWriteStream(file));
      written.catch(() => undefined);
    });
    form.on('field', (name, value, _nameTruncated, truncated) => {
      if (!FIELDS.some((field) => field === name)) {
        const message = `"${name.slice(0, 60)}" is not a field of this form; its fields are file, ${FIELDS.join(', ')}.`;
        problems.push({ path: name.slice(0, 60), code: 'UNKNOWN_MEMBER', message });
      } else if (truncated) {
        problems.push({ path: name, code: 'TOO_LONG', message: `At most ${FIELD_BYTES} bytes are allowed here.` });
      } else if (texts.has(name)) {
        problems.push({ path: name, code: 'TOO_MANY_ITEMS', message: 'Send this field only once.' });
      } else texts.set(name, value);
    });
    form.once('error', broken).once('finish', resolve);
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > UPLOAD_FORM_BYTES) tooLarge();
    });
    request.once('error', broken).once('aborted', () => {
      broken(undefined);
    });
    // A request that was aborted earlier emits no more events.
    if (request.destroyed) broken(undefined);
    else request.pipe(form);
  });
  await written;
  if (!open) problems.push({ path: 'file', code: 'MISSING_VALUE', message: 'Expected an image file.' });
  else if (open.bytesRead === 0)
    problems.push({ path: 'file', code: 'INVALID_FORMAT', message: 'The file is empty; send an image.' });
  if (problems.length > 0) throw new FormError(problems);
  return { file, imageType: texts.get('imageType'), imageDefinition: texts.get('imageDefinition') };
}
