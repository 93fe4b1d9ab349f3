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
// The last records are appended in small revisions, as in production: each revision extends the index.
const LAST_RECORDS = 1_000;
const LAST_A_REVISION = 100;
const BETWEEN_LAST_MS = 100;
const VACUUM_MS = 120_000;

/** The dataset log, filled with the code of dataset-svc. */
export interface Dataset {
  demo: readonly ExperimentData[];
  references: References;
  size(): number;
  /** Appends generated records until there are `size`. Returns the seconds. */
  growTo(size: number): Promise<number>;
  close(): Promise<void>;
}

type References = Awaited<ReturnType<typeof referencesAt>>;

/** Opens the log in the database of dataset-svc. `seed` determines the generated records. */
export async function openDataset(databaseUrl: string, seed: number): Promise<Dataset> {
  const database = openDatabase<Tables>(databaseUrl, 2, createLog('bench', 'warn'));
  const append = logAppender(database);
  const head = await getHead(database);
  const references = await referencesAt(database, head.revision);
  const demo = readDemoRecords(references);
  let recordCount = head.recordCount;
  return {
    demo,
    references,
    size: () => recordCount,
    growTo: async (size) => {
      const started = performance.now();
      const inLargeRevisions = size - LAST_RECORDS;
      while (recordCount < size) {
        const approvedAt = new Date();
        const isLast = recordCount >= inLargeRevisions;
        const count = isLast
          ? Math.min(LAST_A_REVISION, size - recordCount)
          : Math.min(RECORDS_A_REVISION, inLargeRevisions - recordCount);
        const batch = Array.from({ length: count }, (_, index) => {
          const recordId = recordCount + index + 1;
          const data = recordData(demo, recordId, seed);
          return { recordId, recordRevision: 1, body: publicRecordJson(recordId, data), data, approvedAt };
        });
        await append(batch);
        recordCount += count;
        if (isLast) await sleep(BETWEEN_LAST_MS);
      }
      // Otherwise autovacuum would run during a measurement.
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
