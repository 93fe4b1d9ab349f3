import { pino } from 'pino';
import { type Lists, ReferenceServiceService } from '@esd/proto/esd/dataset/v1/reference';
import { bytePort } from '@esd/service/byte-port';
import { ServiceError } from '@esd/service/errors';
import { startInternalHttp } from '@esd/service/internal-http';
import { watchReadiness } from '@esd/service/readiness';
import { rpcClient } from '@esd/service/rpc-client';
import { METADATA } from '@esd/service/rpc-metadata';
import { rpcService, startRpcServer } from '@esd/service/rpc-server';
import { openSpool } from '@esd/service/spool';
import { namedPeer, trustingGuard } from '@esd/testing/peers';
import { seedLists } from '../../../libs/record/test/seed-lists.ts';
import { newestLists } from '../src/reference-lists.ts';
import { templateFile } from '../src/template/template-file.ts';
import { parseExcel } from '../src/workbook-import/parse-excel.ts';
import { openParseWorkers } from '../src/workbook-import/parse-workers.ts';

/** What a gateway proves itself with; without a caller. */
export const PROOF = { [METADATA.service]: 'gateway', [METADATA.requestId]: 'id-1' };
/** A call of an account. */
export const callerNamed = (name: string) => ({ ...PROOF, [METADATA.assertion]: name });
export const CALLER = callerNamed('caller');
const log = pino({ level: 'silent' });

const withAliases = <Entry extends { aliases: readonly string[] }>(entries: readonly Entry[]) =>
  entries.map((entry) => ({ ...entry, aliases: [...entry.aliases], retired: false }));
const withSynonyms = <Entry extends { synonyms: readonly string[] }>(entries: readonly Entry[]) =>
  entries.map((entry) => ({ ...entry, synonyms: [...entry.synonyms], retired: false }));

/** The reference lists as dataset-svc sends them. */
const seeds = (): Lists => ({
  polymers: withAliases(seedLists.polymers),
  solvents: withAliases(seedLists.solvents),
  units: withAliases(seedLists.units),
  morphologies: withSynonyms(seedLists.morphologies),
  instabilities: withSynonyms(seedLists.instabilities),
  ambiguous: [],
});

/** The port of export-svc for sheets, in front of lists that a test may change. */
export interface ParsePort {
  url: string;
  /** What dataset-svc holds, and how often it sent the lists. */
  dataset: { revision: number; sent: number; lists: Lists };
  /** Sends a body to /data/parse-excel. */
  send(
    body: NonNullable<RequestInit['body']>,
    headers?: Record<string, string>,
  ): Promise<{ status: number; retryAfter: string | null; json: unknown }>;
  close(): Promise<void>;
}

/** Opens the port on loopback; every assertion but `bad` is that of an account of its name. */
export async function openParsePort(): Promise<ParsePort> {
  const dataset = { revision: 7, sent: 0, lists: seeds() };
  const unasked = () => Promise.reject(new Error('not asked in this test'));
  const server = await startRpcServer({
    listen: { host: '127.0.0.1', port: 0 },
    services: [
      rpcService(ReferenceServiceService, {
        getLists: ({ knownRevision }) => {
          const answer = { revision: dataset.revision, datasetId: 'one' };
          if (knownRevision === dataset.revision) return Promise.resolve({ ...answer, lists: undefined });
          dataset.sent += 1;
          return Promise.resolve({ ...answer, lists: dataset.lists });
        },
        createEntry: unasked,
        replaceEntry: unasked,
        listEntryNames: unasked,
        deleteEntry: unasked,
        listChanges: unasked,
      }),
    ],
    guard: trustingGuard(),
    log,
  });
  const reference = rpcClient(ReferenceServiceService, {
    target: `127.0.0.1:${server.port}`,
    proof: namedPeer('export-svc'),
  });
  const lists = newestLists(reference);
  const readiness = watchReadiness([], log);
  const spool = await openSpool('esd-export-test');
  const workers = openParseWorkers(log);
  const http = await startInternalHttp(
    { host: '127.0.0.1', port: 0 },
    readiness,
    bytePort(
      [
        { methods: ['GET', 'HEAD'], path: /\/data\/template\.xlsx/, handle: templateFile(lists) },
        { methods: ['POST'], path: /\/data\/parse-excel/, handle: parseExcel({ lists, spool, workers }) },
      ],
      {
        guard: trustingGuard((assertion) => {
          if (assertion === 'bad') throw new ServiceError('TOKEN_INVALID', 'not good');
          return { accountId: assertion, role: 'USER', credential: 'pat' };
        }),
        log,
      },
    ),
  );
  const url = `http://127.0.0.1:${http.port}`;
  return {
    url,
    dataset,
    send: async (body, headers = CALLER) => {
      const answer = await fetch(`${url}/data/parse-excel`, { method: 'POST', body, headers, duplex: 'half' });
      const json: unknown = await answer.json();
      return { status: answer.status, retryAfter: answer.headers.get('retry-after'), json };
    },
    close: async () => {
      await http.drain(0.1);
      await workers.stop();
      await spool.close();
      readiness.stop();
      reference.channel.close();
      await server.drain(0.1);
    },
  };
}

/** A form with one file. */
export function form(file: Buffer | string, name = 'file'): FormData {
  const data = new FormData();
  // A copy: a pooled buffer is shared memory by its type.
  data.append(name, new Blob([typeof file === 'string' ? file : Uint8Array.from(file)]), 'sheet');
  return data;
}
