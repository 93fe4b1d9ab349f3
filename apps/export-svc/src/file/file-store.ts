import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'minio';
import { z } from 'zod';
import { ServiceError } from '@esd/service/errors';

/** What was stored. */
export interface StoredFile {
  bytes: number;
  /** Hex. */
  sha256: string;
}

/** A part of an object, on its way. */
export interface OpenedObject {
  bytes: Readable;
  /** Tells this object from any other that was stored under its key. */
  entityTag: string;
}

/** Whole files in the object store. Every call throws UNAVAILABLE while the store is away. */
export interface FileStore {
  /**
   * Stores a local file in one request. With `once` an object that is there already stays as it is: its name must say what
   * it holds.
   */
  put(key: string, path: string, options?: { once: boolean }): Promise<StoredFile>;
  /** Bytes `start` to `end` (inclusive) of an object; undefined when there is no such object. */
  open(key: string, part: { start: number; end: number }, signal: AbortSignal): Promise<OpenedObject | undefined>;
  /** Removes an object, whether or not it is there. */
  remove(key: string): Promise<void>;
  /** The keys that begin with `prefix`. */
  list(prefix: string): Promise<string[]>;
}

const ANSWER_MS = 10_000;
const SILENT_MS = 20_000;
const SIGNED_FOR_SECONDS = 600;
const listed = z.object({ name: z.string() });
const WRITE_ONCE = { 'If-None-Match': '*' };

/**
 * Opens the store. Bytes go over requests that the client only signs: its own uploads hold a file in memory, or send it in
 * parts, which cannot be made conditional.
 */
export function openFileStore(client: Client, bucket: string): FileStore {
  return {
    put: async (key, path, options = { once: false }) => {
      const file = await describeFile(path);
      const url = await client.presignedUrl('PUT', bucket, key, SIGNED_FOR_SECONDS);
      const answer = await send(url, {
        method: 'PUT',
        headers: { 'Content-Length': String(file.bytes), ...(options.once ? WRITE_ONCE : {}) },
        body: createReadStream(path),
      });
      answer.resume();
      const there = options.once && answer.statusCode === 412;
      if (answer.statusCode !== 200 && !there) throw refused('PUT', answer);
      return file;
    },
    open: async (key, { start, end }, signal) => {
      const url = await client.presignedUrl('GET', bucket, key, SIGNED_FOR_SECONDS);
      const answer = await send(url, { method: 'GET', headers: { Range: `bytes=${start}-${end}` }, signal });
      if (answer.statusCode === 206 || answer.statusCode === 200) {
        return { bytes: answer, entityTag: answer.headers.etag ?? '' };
      }
      answer.resume();
      // 416: it is shorter than it was, which whoever counts its bytes says better.
      if (answer.statusCode === 404 || answer.statusCode === 416) return undefined;
      throw refused('GET', answer);
    },
    remove: async (key) => {
      const url = await client.presignedUrl('DELETE', bucket, key, SIGNED_FOR_SECONDS);
      const answer = await send(url, { method: 'DELETE', headers: {} });
      answer.resume();
      if (answer.statusCode !== 204 && answer.statusCode !== 200 && answer.statusCode !== 404) {
        throw refused('DELETE', answer);
      }
    },
    list: async (prefix) => {
      try {
        const keys: string[] = [];
        for await (const item of client.listObjectsV2(bucket, prefix, true)) keys.push(listed.parse(item).name);
        return keys;
      } catch (cause) {
        throw unreachable(cause);
      }
    },
  };
}

/** Size and SHA-256 of a local file. */
export async function describeFile(path: string): Promise<StoredFile> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { bytes: (await stat(path)).size, sha256: hash.digest('hex') };
}

interface Sent {
  method: string;
  headers: Record<string, string>;
  body?: Readable;
  signal?: AbortSignal;
}

/** Sends one request; the answer has begun when it resolves. Nothing stays open when it throws. */
async function send(url: string, { method, headers, body, signal }: Sent): Promise<IncomingMessage> {
  const ended = new AbortController();
  const stopped = signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal]);
  const open = url.startsWith('https:') ? httpsRequest : httpRequest;
  const request = open(url, { method, headers, signal: stopped });
  // Whoever waits hears of it too; what comes later, when the answer has begun, would end the process.
  request.on('error', () => undefined);
  // Only a silence counts: a large file takes its time.
  request.setTimeout(body ? SILENT_MS : ANSWER_MS, () => request.destroy(new Error('the object store fell silent')));
  try {
    // Node gives the event the answer as its one argument.
    const answered = once(request, 'response', { signal: stopped }) as Promise<[IncomingMessage]>;
    const sent = body === undefined ? Promise.resolve(request.end()) : pipeline(body, request, { signal: stopped });
    // The answer may come before all is sent: a refusal.
    const [[response]] = await Promise.all([answered, Promise.race([sent, answered])]);
    response.on('error', () => undefined);
    sent.catch(() => undefined);
    return response;
  } catch (cause) {
    ended.abort();
    body?.destroy();
    throw unreachable(cause);
  }
}

function unreachable(cause: unknown): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The store of files cannot be reached at the moment; try again.', cause);
}

function refused(method: string, { statusCode }: IncomingMessage): ServiceError {
  const cause = new Error(`the object store answered ${method} with ${statusCode ?? 0}`);
  return new ServiceError('UNAVAILABLE', 'The store of files cannot be used at the moment; try again.', cause);
}
