import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { ALLOWANCES } from '@esd/api/allowances';
import { ServiceError } from '@esd/service/errors';
import { requireCaller } from '@esd/service/auth/require-caller';
import type { EndpointCall } from '@esd/service/http/internal-endpoints';
import { clientShares } from '@esd/service/client-shares';
import type { TempStorage } from '@esd/service/http/temp-storage';
import { readPercentiles } from '@esd/dataset-client/percentiles';
import type { ReferenceLists } from '@esd/dataset-client/reference-lists';
import { optionNames } from '@esd/record/sheet/sheet-options';
import type { ParsedForm, ParseOutcome } from './parse-file.ts';
import type { ParsedFile, ParseWorkers } from './parse-workers.ts';
import { announcedBytes, readUpload } from './read-upload.ts';

export interface ParseDependencies {
  lists: Pick<ReferenceLists, 'refresh'>;
  dataset: Parameters<typeof readPercentiles>[0];
  tempStorage: TempStorage;
  workers: ParseWorkers;
}

/** The maximum wait for a thread after the file is received. The thread has its own time limit. */
const WAIT_LIMIT_MS = 25_000;
const RETRY_AFTER_SECONDS = 5;

/**
 * Implements POST /data/parse-excel: returns the records of a workbook or CSV file as items of a submission, or its
 * cells with `cells=true` or `cells=values`, or the reading of any sheet with `headings=guess`. Receives the complete
 * file before it waits for a thread, so that a slow client occupies none.
 */
export function parseExcel({ lists, dataset, tempStorage, workers }: ParseDependencies) {
  const files = clientShares({ name: 'sheets', max: ALLOWANCES.shares.sheets.amount });
  const parse = async (
    file: ParsedFile,
    { requestId, client, signal }: Pick<EndpointCall, 'requestId' | 'client' | 'signal'>,
  ): Promise<ParseOutcome> => {
    const limit = AbortSignal.timeout(WAIT_LIMIT_MS);
    const ended = AbortSignal.any([signal, limit]);
    try {
      const { references } = await lists.refresh({ requestId, signal: ended });
      const percentiles = file.form === 'guess' ? await readPercentiles(dataset, { requestId, signal: ended }) : {};
      const options = { ...file.options, percentiles };
      return await workers.parse({ ...file, options }, references, { client, signal: ended });
    } catch (error) {
      if (!limit.aborted || error instanceof ServiceError) throw error;
      const message = `Too many files are waiting to be read; retry in ${RETRY_AFTER_SECONDS} s.`;
      throw new ServiceError('UNAVAILABLE', message, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
  };
  return async (
    call: Pick<EndpointCall, 'requestId' | 'caller' | 'query' | 'client' | 'signal'>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    requireCaller(call);
    const { client, signal } = call;
    const { form, options } = formOf(call.query);
    const release = files.acquire(client);
    let outcome: ParseOutcome;
    try {
      outcome = await tempStorage.during(
        async (folder, full) => {
          const path = join(folder, 'upload');
          await readUpload(request, path, AbortSignal.any([signal, full]));
          return parse({ path, form, options }, call);
        },
        { client, bytes: announcedBytes(request) },
      );
    } finally {
      release();
    }
    switch (outcome.kind) {
      case 'records':
        response.setHeader('Content-Type', 'application/json; charset=utf-8');
        response.setHeader('Cache-Control', 'no-store');
        response.writeHead(200).end(outcome.json);
        return;
      case 'problems': {
        const { errors, errorCount } = outcome;
        const message = errorCount === 1 ? 'The file has 1 problem.' : `The file has ${errorCount} problems.`;
        throw new ServiceError('VALIDATION_FAILED', message, { details: { errors, errorCount } });
      }
      case 'refused':
        throw new ServiceError(outcome.code, outcome.message);
    }
  };
}

function formOf(query: URLSearchParams): Pick<Required<ParsedFile>, 'form' | 'options'> {
  const text = (name: string): string | undefined => query.get(name) ?? undefined;
  return {
    form: query.get('headings') === 'guess' ? 'guess' : formOfCells(query.get('cells')),
    options: Object.fromEntries(['sheet', ...optionNames].map((name) => [name, text(name)])),
  };
}

function formOfCells(cells: string | null): ParsedForm {
  if (cells === 'values') return 'values';
  return cells === 'true' ? 'cells' : 'records';
}
