import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { errorAnswer } from '@esd/service/error-body';
import { ServiceError } from '@esd/service/errors';
import { requireCaller } from '@esd/service/require-caller';
import type { ByteCall } from '@esd/service/byte-port';
import type { ClientKey } from '@esd/service/client';
import type { CallOptions } from '@esd/service/rpc-client';
import type { Spool } from '@esd/service/spool';
import type { NewestLists } from '../reference-lists.ts';
import type { ParseOutcome } from './parse-file.ts';
import type { ParseWorkers } from './parse-workers.ts';
import { announcedBytes, readUpload } from './read-upload.ts';

export interface ParseParts {
  lists: (call: CallOptions) => Promise<NewestLists>;
  /** Where uploads are kept while they come and are read. */
  spool: Spool;
  workers: ParseWorkers;
}

// Files in the spool, of 20 MB each: while they come, wait and are read.
const MAX_FILES = 64;
const MAX_FILES_OF_CLIENT = 12;
/** For a turn, once the file is there. A file that is read then has the time of a thread beside. */
const WAIT_LIMIT_MS = 25_000;
const RETRY_AFTER_SECONDS = 5;

/**
 * POST /data/parse-excel: the records of a workbook or CSV file, as items that a submission can take as they are. Stores
 * nothing. All problems are answered at once, as VALIDATION_FAILED. A file is received whole before it waits for a thread,
 * so that a slow sender keeps none.
 */
export function parseExcel({ lists, spool, workers }: ParseParts) {
  const files = openFileShares();
  const parse = async (
    path: string,
    { requestId, client, signal }: Pick<ByteCall, 'requestId' | 'client' | 'signal'>,
  ): Promise<ParseOutcome> => {
    const limit = AbortSignal.timeout(WAIT_LIMIT_MS);
    const ended = AbortSignal.any([signal, limit]);
    try {
      const { references } = await lists({ requestId, signal: ended });
      return await workers.parse(path, references, { client, signal: ended });
    } catch (error) {
      if (!limit.aborted || error instanceof ServiceError) throw error;
      const message = `The file had no turn within ${WAIT_LIMIT_MS / 1000} s; try again.`;
      throw new ServiceError('UNAVAILABLE', message, error, RETRY_AFTER_SECONDS);
    }
  };
  return async (
    call: Pick<ByteCall, 'requestId' | 'caller' | 'client' | 'signal'>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    requireCaller(call);
    const outcome = await files.during(call.client, () =>
      spool.during(
        async (folder, full) => {
          const path = join(folder, 'upload');
          await readUpload(request, path, AbortSignal.any([call.signal, full]));
          return parse(path, call);
        },
        { client: call.client, bytes: announcedBytes(request) },
      ),
    );
    switch (outcome.kind) {
      case 'records':
        response.setHeader('Content-Type', 'application/json; charset=utf-8');
        response.setHeader('Cache-Control', 'no-store');
        response.writeHead(200).end(outcome.json);
        return;
      case 'problems': {
        const { errors, errorCount } = outcome;
        const message = errorCount === 1 ? 'The file has a problem.' : `The file has ${errorCount} problems.`;
        const refusal = new ServiceError('VALIDATION_FAILED', message);
        const { status, headers, body } = errorAnswer(refusal, call.requestId, { errors, errorCount });
        response.setHeader('Content-Type', 'application/json; charset=utf-8');
        response.writeHead(status, headers).end(JSON.stringify(body));
        return;
      }
      case 'refused':
        throw new ServiceError(outcome.code, outcome.message);
    }
  };
}

/** Bounds the files that are held at once, in all and of a client; nobody waits. */
function openFileShares() {
  const held = new Map<ClientKey, number>();
  let total = 0;
  return {
    during: async <Result>(client: ClientKey, work: () => Promise<Result>): Promise<Result> => {
      const own = held.get(client) ?? 0;
      if (own >= MAX_FILES_OF_CLIENT) {
        const message = `${own} files of yours are being received or read; send the next when one is done.`;
        throw new ServiceError('RATE_LIMITED', message, undefined, RETRY_AFTER_SECONDS);
      }
      if (total >= MAX_FILES) {
        const message = 'Too many files are being received or read at the moment; try again.';
        throw new ServiceError('UNAVAILABLE', message, undefined, RETRY_AFTER_SECONDS);
      }
      held.set(client, own + 1);
      total += 1;
      try {
        return await work();
      } finally {
        const left = (held.get(client) ?? 1) - 1;
        if (left === 0) held.delete(client);
        else held.set(client, left);
        total -= 1;
      }
    },
  };
}
