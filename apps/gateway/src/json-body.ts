import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { nearest } from '@esd/record/nearest';
import { shorten } from '@esd/record/problems';
import type { ErrorItem } from '@esd/service/error-body';
import { ServiceError } from '@esd/service/errors';
import { DetailedError } from './errors.ts';
import { scanJsonDepth } from './json-depth.ts';
import type { BodyReader } from './route.ts';

/** Bytes of a submission, at most. */
export const SUBMISSION_BYTES = 10 * 1024 * 1024;
const SMALL_BYTES = 100 * 1024;
const DEEPEST = 20;

const MEDIA_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?;?[ \t]*$/i;

/**
 * A JSON body that is kept as bytes: `application/json` in UTF-8 (else UNSUPPORTED_MEDIA_TYPE), at most `limit` bytes
 * (else PAYLOAD_TOO_LARGE), at most 20 deep and not cut off (else INVALID_REQUEST). It is not parsed: whoever gets the
 * bytes checks them against `schema`.
 */
export function jsonBytes(limit: number, schema: z.ZodType): BodyReader<Buffer> {
  return { schema, required: true, read: (request) => readJsonBytes(request, limit) };
}

/**
 * A small JSON body (100 KB unless given, in bytes), read by its schema. INVALID_REQUEST for what is not JSON, and VALIDATION_FAILED with all
 * problems for what does not fit the schema.
 */
export function jsonBody<Schema extends z.ZodObject>(
  schema: Schema,
  limit = SMALL_BYTES,
): BodyReader<z.output<Schema>> {
  return { schema, required: true, read: (request) => readJson(request, schema, limit) };
}

/** As jsonBody, for a body that may be left out. */
export function optionalJsonBody<Schema extends z.ZodObject>(
  schema: Schema,
  limit = SMALL_BYTES,
): BodyReader<z.output<Schema> | undefined> {
  return {
    schema,
    required: false,
    read: async (request) => (hasBody(request) ? readJson(request, schema, limit) : undefined),
  };
}

async function readJsonBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  checkMediaType(request);
  const bytes = await readBytes(request, limit);
  if (!isUtf8(bytes)) throw new ServiceError('INVALID_REQUEST', 'The body is not valid UTF-8.');
  const shape = scanJsonDepth(bytes, DEEPEST);
  if (shape === 'too deep') {
    throw new ServiceError('INVALID_REQUEST', `The body nests arrays and objects deeper than ${DEEPEST} levels.`);
  }
  if (bytes.length === 0) throw new ServiceError('INVALID_REQUEST', 'The body is empty; a JSON object is needed.');
  if (shape === 'cut off') throw new ServiceError('INVALID_REQUEST', 'The JSON text of the body ends too early.');
  return bytes;
}

async function readJson<Schema extends z.ZodObject>(
  request: IncomingMessage,
  schema: Schema,
  limit: number,
): Promise<z.output<Schema>> {
  const bytes = await readJsonBytes(request, limit);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    throw new ServiceError('INVALID_REQUEST', 'The body is not valid JSON.');
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = result.error.issues.flatMap((issue) => errorItems(issue, value, Object.keys(schema.shape)));
  const message = errors.length === 1 ? 'The body has a problem.' : `The body has ${errors.length} problems.`;
  throw new DetailedError('VALIDATION_FAILED', message, { errors, errorCount: errors.length });
}

/** Whether a request announces content. */
export function hasBody(request: IncomingMessage): boolean {
  return (request.headers['content-length'] ?? '0') !== '0' || request.headers['transfer-encoding'] !== undefined;
}

function checkMediaType(request: IncomingMessage): void {
  const type = request.headers['content-type'];
  if (type === undefined || !MEDIA_TYPE.test(type)) {
    const given = type === undefined ? 'no content type' : `"${shorten(type)}"`;
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', `The body must be application/json in UTF-8, not ${given}.`);
  }
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', `The body must not be compressed ("${shorten(encoding)}").`);
  }
}

async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  const tooLarge = new ServiceError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) end(tooLarge);
    };
    const onEnd = (): void => {
      end();
    };
    const onCut = (): void => {
      end(new ServiceError('INVALID_REQUEST', 'The body ended before its announced length.'));
    };
    const end = (error?: ServiceError): void => {
      request.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
      // What still comes is thrown away, within the time limit of the request.
      request.on('error', () => undefined).resume();
      if (error) reject(error);
      else resolve(Buffer.concat(chunks));
    };
    request.on('data', onData).once('end', onEnd).once('error', onCut).once('close', onCut);
  });
}

function errorItems(issue: z.core.$ZodIssue, body: unknown, known: string[]): ErrorItem[] {
  const path = pathText(issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const near = nearest(
        key.toLowerCase(),
        known.map((name) => [name.toLowerCase(), name]),
      );
      const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `known are ${known.join(', ')}`;
      const at = pathText([...issue.path, shorten(key)]);
      return { path: at, code: 'UNKNOWN_MEMBER', message: `"${shorten(key)}" is not known; ${hint}` };
    });
  }
  if (issue.code === 'invalid_type' && valueAt(body, issue.path) === undefined) {
    return [{ path, code: 'MISSING_VALUE', message: `A ${issue.expected} is needed here.` }];
  }
  const code = issue.code === 'invalid_type' ? 'WRONG_TYPE' : 'INVALID_FORMAT';
  return [{ path, code, message: issue.message }];
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    // hasOwn has just said that the member is there.
    return (value as Record<PropertyKey, unknown>)[key];
  }, body);
}
