import { type Lists, ReferenceServiceService } from '@esd/proto/esd/dataset/v1/reference';
import { METADATA } from '@esd/service/rpc/rpc-metadata';
import { rpcService, startRpcServer } from '@esd/service/rpc/rpc-server';
import { eventually } from '@esd/testing/eventually';
import { namedPeer, trustingGuard } from '@esd/testing/peers';
import { log } from './dataset-servers.ts';
import { startEndpoints } from './export-endpoints.ts';
import { seedLists } from '../../../libs/record/test/seed-lists.ts';

/** The headers that the gateway sends without a caller. */
export const PROOF = { ...namedPeer('gateway')(''), [METADATA.requestId]: 'id-1' };
/** The headers that the gateway sends for an account. */
export const callerNamed = (name: string) => ({ ...PROOF, [METADATA.assertion]: name });
export const CALLER = callerNamed('caller');

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

/** The parse-excel endpoint, with reference lists that a test can change. */
export interface ParsePort {
  url: string;
  /** The lists of dataset-svc, and the number of times it has sent them. */
  dataset: { revision: number; sent: number; lists: Lists };
  /** Sends a body to /data/parse-excel, and again after the response 503, which a busy machine can cause. */
  send(
    body: NonNullable<RequestInit['body']>,
    headers?: Record<string, string>,
    query?: string,
  ): Promise<{ status: number; retryAfter: string | null; json: unknown }>;
  close(): Promise<void>;
}

/** Starts the endpoint on loopback. Every assertion except `bad` is that of an account with this name. */
export async function openParsePort(): Promise<ParsePort> {
  const dataset = { revision: 7, sent: 0, lists: seeds() };
  const unexpected = () => Promise.reject(new Error('unexpected call'));
  const server = await startRpcServer({
    listen: { host: '127.0.0.1', port: 0 },
    services: [
      rpcService(ReferenceServiceService, {
        getLists: ({ knownRevision }) => {
          const state = { revision: dataset.revision, datasetId: 'one' };
          if (knownRevision === dataset.revision) return Promise.resolve({ ...state, lists: undefined });
          dataset.sent += 1;
          return Promise.resolve({ ...state, lists: dataset.lists });
        },
        createEntry: unexpected,
        replaceEntry: unexpected,
        listEntryNames: unexpected,
        deleteEntry: unexpected,
        listChanges: unexpected,
        listPapers: unexpected,
        importPapers: unexpected,
        listMissingPapers: unexpected,
      }),
    ],
    guard: trustingGuard(),
    log,
  });
  const { url, stop } = await startEndpoints(`127.0.0.1:${server.port}`);
  return {
    url,
    dataset,
    send: async (body, headers = CALLER, query = '') => {
      const response = await eventually(
        () => fetch(`${url}/data/parse-excel${query}`, { method: 'POST', body, headers, duplex: 'half' }),
        ({ status }) => status !== 503,
      );
      const json: unknown = await response.json();
      return { status: response.status, retryAfter: response.headers.get('retry-after'), json };
    },
    close: async () => {
      await stop();
      await server.drain(0.1);
    },
  };
}

/** Returns a form with one file. */
export function form(file: Buffer | string, name = 'file'): FormData {
  const data = new FormData();
  // Copied, because the type of a pooled buffer allows shared memory.
  data.append(name, new Blob([typeof file === 'string' ? file : Uint8Array.from(file)]), 'sheet');
  return data;
}
