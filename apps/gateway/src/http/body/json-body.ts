import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { Request } from 'express';
import type { z } from 'zod';
import { nearest, type SuggestionBudget, withSuggestions } from '@esd/record/validate/nearest-names';
import { MAX_SUGGESTIONS, MAX_PROBLEMS, describe, shorten } from '@esd/record/validate/problems';
import { UNSTORABLE, unstorablePaths } from '@esd/record/validate/storable-text';
import type { ErrorItem } from '@esd/service/http/error-body';
import { ServiceError } from '@esd/service/errors';
import { scanJson } from './json-scan.ts';
import { acceptBody, hasBody } from '../has-body.ts';
import { requirement } from '../requirement.ts';
import type { BodyReader } from '../route.ts';

export const SUBMISSION_BYTES = 10 * 1024 * 1024;
/**
 * Maximum members and items of a submission: 500 for each of its 1,000 records. The catalog has 93 members. A record with
 * five components, labels and images of each kind, and 20 free members in each definition, has about 350.
 */
export const SUBMISSION_MEMBERS = 500_000;
const SMALL_BYTES = 100 * 1024;
// No valid body has more, and the cost of reporting problems grows with their number.
const SMALL_MEMBERS = 10_000;
const MAX_DEPTH = 20;
// From this size, parsing takes milliseconds.
const LARGE_BYTES = 1024 * 1024;
const FIRST_BYTES = 64 * 1024;

const MEDIA_TYPE = jsonType('application/json');

/**
 * Reads a JSON body as bytes without parsing it; the service that receives the bytes checks them against `schema`. The body
 * must be `application/json` or of another type that `mediaType` matches, in UTF-8 (else UNSUPPORTED_MEDIA_TYPE), and at most
 * `limit` bytes (else PAYLOAD_TOO_LARGE). It must be complete, with at most 20 levels and `members` members and items (else INVALID_REQUEST).
 */
export function jsonBytes(
  limit: number,
  schema: z.ZodType,
  members = SMALL_MEMBERS,
  mediaType = MEDIA_TYPE,
): BodyReader<Buffer> {
  return { schema, required: true, limit, read: (request) => readJsonBytes(request, limit, members, mediaType) };
}

/**
 * Parses a small JSON body (`limit` in bytes; 10,000 members and items) by its schema. Throws INVALID_REQUEST for invalid
 * JSON, and VALIDATION_FAILED with at most 1,000 problems if the body does not match the schema.
 */
export function jsonBody<Schema extends z.ZodObject>(
  schema: Schema,
  limit = SMALL_BYTES,
): BodyReader<z.output<Schema>> {
  return { schema, required: true, limit, read: (request) => readJson(request, schema, limit) };
}

/** Like jsonBody, and also accepts form fields (`application/x-www-form-urlencoded`) of a page without script. */
export function jsonOrFieldsBody<Schema extends z.ZodObject>(schema: Schema): BodyReader<z.output<Schema>> {
  return {
    ...jsonBody(schema),
    read: async (request) => {
      if (!hasFields(request)) return readJson(request, schema, SMALL_BYTES);
      const bytes = await readBytes(request, SMALL_BYTES);
      return checkShape(Object.fromEntries(new URLSearchParams(bytes.toString())), schema);
    },
  };
}

/** Returns a pattern of the value of Content-Type for one of the media types in UTF-8. */
export function jsonType(...types: readonly string[]): RegExp {
  const names = types.map((type) => type.replaceAll(/[.+/]/g, String.raw`\$&`)).join('|');
  return new RegExp(String.raw`^(?:${names})[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?;?[ \t]*$`, 'i');
}

export function hasFields(request: IncomingMessage): boolean {
  return /^application\/x-www-form-urlencoded[ \t]*(;|$)/i.test(request.headers['content-type'] ?? '');
}

export function optionalJsonBody<Schema extends z.ZodObject>(
  schema: Schema,
  limit = SMALL_BYTES,
): BodyReader<z.output<Schema> | undefined> {
  return {
    schema,
    required: false,
    limit,
    read: async (request) => (hasBody(request) ? readJson(request, schema, limit) : undefined),
  };
}

async function readJsonBytes(
  request: Request,
  limit: number,
  members: number,
  mediaType = MEDIA_TYPE,
): Promise<Buffer> {
  checkMediaType(request, mediaType);
  const bytes = await readBytes(request, limit);
  if (!isUtf8(bytes)) throw new ServiceError('INVALID_REQUEST', 'The body must be valid UTF-8.');
  const shape = await scanJson(bytes, { levels: MAX_DEPTH, members });
  if (shape === 'too deep') {
    throw new ServiceError(
      'INVALID_REQUEST',
      `The body must not nest arrays and objects deeper than ${MAX_DEPTH} levels.`,
    );
  }
  if (shape === 'too many members') {
    throw new ServiceError('INVALID_REQUEST', `The body must have at most ${members} members and items.`);
  }
  if (bytes.length === 0) throw new ServiceError('INVALID_REQUEST', 'The body is empty; send a JSON object.');
  if (shape === 'cut off') throw new ServiceError('INVALID_REQUEST', 'The JSON body is incomplete; send all of it.');
  return bytes;
}

async function readJson<Schema extends z.ZodObject>(
  request: Request,
  schema: Schema,
  limit: number,
): Promise<z.output<Schema>> {
  const bytes = await readJsonBytes(request, limit, SMALL_MEMBERS);
  if (bytes.length > LARGE_BYTES) await turn();
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    throw new ServiceError('INVALID_REQUEST', 'The body must be valid JSON.');
  }
  if (bytes.length > LARGE_BYTES) await turn();
  return checkShape(value, schema);
}

function checkShape<Schema extends z.ZodObject>(value: unknown, schema: Schema): z.output<Schema> {
  const result = schema.safeParse(value, { error: requirement });
  const unstorable = unstorablePaths(value).map((path) => ({ code: 'custom' as const, path, message: UNSTORABLE }));
  if (result.success && unstorable.length === 0) return result.data;
  // The schema may refuse the same text.
  const reported = new Set(unstorable.map(({ path }) => pathText(path)));
  const issues = (result.error?.issues ?? []).filter(({ path }) => !reported.has(pathText(path)));
  throw problemsOf([...unstorable, ...issues], value, Object.keys(schema.shape));
}

function checkMediaType(request: IncomingMessage, mediaType: RegExp): void {
  const type = request.headers['content-type'];
  if (type === undefined || !mediaType.test(type)) {
    const given = type === undefined ? 'none' : describe(type);
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', `Content-Type must be application/json in UTF-8, got ${given}.`);
  }
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body must not be compressed; leave out Content-Encoding, got ${describe(encoding)}.`,
    );
  }
}

async function readBytes(request: Request, limit: number): Promise<Buffer> {
  const tooLarge = new ServiceError('PAYLOAD_TOO_LARGE', `The body must have at most ${limit} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge;
  acceptBody(request);
  return new Promise((resolve, reject) => {
    // One buffer for the whole body, because a one-byte chunk takes a hundred bytes of memory.
    let bytes = Buffer.allocUnsafe(Number(request.headers['content-length'] ?? Math.min(FIRST_BYTES, limit)));
    let size = 0;
    const onData = (chunk: Buffer): void => {
      if (size + chunk.length > limit) {
        end(tooLarge);
        return;
      }
      if (size + chunk.length > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(2 * bytes.length, size + chunk.length)));
        bytes.copy(larger, 0, 0, size);
        bytes = larger;
      }
      chunk.copy(bytes, size);
      size += chunk.length;
    };
    const onEnd = (): void => {
      end();
    };
    const onCut = (): void => {
      end(new ServiceError('INVALID_REQUEST', 'The body ended before the length in Content-Length.'));
    };
    const end = (error?: ServiceError): void => {
      request.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
      // Discards the rest of the body, within the time limit of the request.
      request.on('error', () => undefined).resume();
      if (error) reject(error);
      else resolve(bytes.subarray(0, size));
    };
    request.on('data', onData).once('end', onEnd).once('error', onCut).once('close', onCut);
  });
}

/** Returns the error for an invalid body: the first 1,000 problems with their paths, and the total number. */
function problemsOf(issues: readonly z.core.$ZodIssue[], body: unknown, known: string[]): ServiceError {
  const errors: ErrorItem[] = [];
  let errorCount = 0;
  const suggestions: SuggestionBudget = { left: MAX_SUGGESTIONS };
  const spellings = known.map((name) => [name.toLowerCase(), name] as const);
  const nearestTo = (key: string): string => {
    if (known.length === 0) return 'this body has no members';
    const near = withSuggestions(suggestions, () => nearest(key.toLowerCase(), spellings));
    return near.length > 0 ? `nearest: ${near.map(describe).join(', ')}` : `known: ${known.map(describe).join(', ')}`;
  };
  for (const issue of issues) {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : undefined;
    errorCount += keys?.length ?? 1;
    const room = MAX_PROBLEMS - errors.length;
    if (keys) errors.push(...keys.slice(0, room).map((key) => unknownMember(issue.path, key, nearestTo(key))));
    else if (room > 0) errors.push(errorItem(issue, body));
  }
  const message = errorCount === 1 ? 'The body has a problem.' : `The body has ${errorCount} problems.`;
  return new ServiceError('VALIDATION_FAILED', message, { details: { errors, errorCount } });
}

function unknownMember(path: readonly PropertyKey[], key: string, hint: string): ErrorItem {
  const name = shorten(key);
  return {
    path: pathText([...path, name]),
    code: 'UNKNOWN_MEMBER',
    message: `Unknown member ${describe(key)}; ${hint}.`,
  };
}

function errorItem(issue: z.core.$ZodIssue, body: unknown): ErrorItem {
  const path = pathText(issue.path);
  const subject = path === '' ? 'The body' : `\`${path}\``;
  if (issue.code === 'invalid_type' && valueAt(body, issue.path) === undefined) {
    return { path, code: 'MISSING_VALUE', message: `${subject} is missing; it ${requirement(issue)}.` };
  }
  return {
    path,
    code: issue.code === 'invalid_type' ? 'WRONG_TYPE' : 'INVALID_FORMAT',
    message: `${subject} ${issue.message}.`,
  };
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
    // hasOwn has confirmed the member.
    return (value as Record<PropertyKey, unknown>)[key];
  }, body);
}
