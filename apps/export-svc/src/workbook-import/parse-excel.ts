import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorAnswer } from '@esd/service/error-body';
import { ServiceError } from '@esd/service/errors';
import { requireCaller } from '@esd/service/require-caller';
import type { ByteCall } from '@esd/service/byte-port';
import type { CallOptions } from '@esd/service/rpc-client';
import type { NewestLists } from '../reference-lists.ts';
import { importTable } from './import-table.ts';
import { readTable } from './read-table.ts';
import { readUpload } from './read-upload.ts';

// Each holds its file and its texts in memory.
const MOST_AT_ONCE = 8;
const TIME_LIMIT_MS = 25_000;

/**
 * POST /data/parse-excel: the records of a workbook or CSV file, as items that a submission can take as they are. Stores
 * nothing. All problems are answered at once, as VALIDATION_FAILED.
 */
export function parseExcel(lists: (call: CallOptions) => Promise<NewestLists>) {
  let running = 0;
  return async (
    { requestId, caller, signal }: Pick<ByteCall, 'requestId' | 'caller' | 'signal'>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    requireCaller({ caller });
    if (running >= MOST_AT_ONCE) {
      throw new ServiceError('UNAVAILABLE', 'Too many files are read at the moment; try again.', undefined, 2);
    }
    running += 1;
    const limit = AbortSignal.timeout(TIME_LIMIT_MS);
    const ended = AbortSignal.any([signal, limit]);
    try {
      const table = await readTable(await readUpload(request, ended), ended);
      const { references } = await lists({ requestId, signal: ended });
      const { json, problems } = await importTable(table, references, ended);
      response.setHeader('Content-Type', 'application/json; charset=utf-8');
      response.setHeader('Cache-Control', 'no-store');
      if (problems.count === 0) {
        response.writeHead(200).end(json);
        return;
      }
      const message = problems.count === 1 ? 'The file has a problem.' : `The file has ${problems.count} problems.`;
      const { status, headers, body } = errorAnswer(new ServiceError('VALIDATION_FAILED', message), requestId, {
        errors: problems.problems,
        errorCount: problems.count,
      });
      response.writeHead(status, headers).end(JSON.stringify(body));
    } catch (error) {
      if (!limit.aborted) throw error;
      const message = `The file was not read within ${TIME_LIMIT_MS / 1000} s; send fewer records at once.`;
      throw new ServiceError('UNAVAILABLE', message, error);
    } finally {
      running -= 1;
    }
  };
}
