import { setTimeout as sleep } from 'node:timers/promises';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { publicRecordJson } from '@esd/record/catalog/public-record';
import { createLog } from '@esd/service/health/log';
import { openDatabase } from '@esd/service/database/postgres';
import pg from 'pg';
import { logAppender } from '../apps/dataset-svc/src/publish/append-approved.ts';
import { getHead } from '../apps/dataset-svc/src/dataset-log/dataset-log.store.ts';
import { referencesAt } from '../apps/dataset-svc/src/reference/references-at.ts';
import type { Tables } from '../apps/dataset-svc/src/tables.ts';
import { readDemoRecords, recordData } from './generated-records.ts';

const RECORDS_A_REVISION = 1_000;
// The last records come a hundred at a time, as in a service that takes submissions: each revision appends to the index.
const LAST_RECORDS = 1_000;
const LAST_A_REVISION = 100;
const BETWEEN_LAST_MS = 100;
const VACUUM_MS = 120_000;

/** The dataset log of dataset-svc, filled by that service's own code. */
export interface Dataset {
  /** The records that the generated ones are made from. */
  demo: readonly ExperimentData[];
  references: References;
  /** How many records there are now. */
  size(): number;
  /** Appends generated records, a thousand a dataset revision, until there are `size`; returns the seconds it took. */
  growTo(size: number): Promise<number>;
  close(): Promise<void>;
}

type References = Awaited<ReturnType<typeof referencesAt>>;

/** Opens the log in dataset-svc's database; generated records follow from the seed. */
export async function openDataset(databaseUrl: string, seed: number): Promise<Dataset> {
  const database = openDatabase<Tables>(databaseUrl, 2, createLog('bench', 'warn'));
  const append = logAppender(database);
  const head = await getHead(database);
  const references = await referencesAt(database, head.revision);
  const demo = readDemoRecords(references);
  let held = head.recordCount;
  return {
    demo,
    references,
    size: () => held,
    growTo: async (size) => {
      const started = performance.now();
      const most = size - LAST_RECORDS;
      while (held < size) {
        const approvedAt = new Date();
        const isLast = held >= most;
        const count = isLast ? Math.min(LAST_A_REVISION, size - held) : Math.min(RECORDS_A_REVISION, most - held);
        const batch = Array.from({ length: count }, (_, index) => {
          const recordId = held + index + 1;
          const data = recordData(demo, recordId, seed);
          return { recordId, recordRevision: 1, body: publicRecordJson(recordId, data), data, approvedAt };
        });
        await append(batch);
        held += count;
        if (isLast) await sleep(BETWEEN_LAST_MS);
      }
      // As in a store that has lived for a while; after so many rows at once it would come in the middle of a measurement.
      await vacuum(databaseUrl);
      return (performance.now() - started) / 1000;
    },
    close: () => database.destroy(),
  };
}

async function vacuum(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, query_timeout: VACUUM_MS });
  await client.connect();
  try {
    await client.query('vacuum (analyze)');
  } finally {
    await client.end();
  }
}
