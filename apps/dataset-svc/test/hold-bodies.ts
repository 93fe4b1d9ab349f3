/**
 * A process with a store of bodies, for body-store.test.ts: `hold-bodies.ts DATABASE_URL FOLDER`. Writes the store's log to standard
 * output; once it holds or cannot store bodies it reads all of them and says from where. Ends in order with its standard input.
 */
import { metrics } from '@esd/service/health/metrics';
import { openDatabase } from '@esd/service/database/postgres';
import { pino } from 'pino';
import { openBodyStore } from '../src/bodies/body-store.ts';
import { findBodies, getHead } from '../src/dataset-log/dataset-log.store.ts';
import type { Tables } from '../src/tables.ts';

const [url = '', folder = ''] = process.argv.slice(2);
const log = pino({ level: 'debug' }, pino.destination({ sync: true }));
const database = openDatabase<Tables>(url, 4, log);
const store = openBodyStore({
  database,
  memoryMegabytes: 0.2,
  diskMegabytes: 100,
  folder,
  log: pino({ level: 'debug' }, { write: (text) => void heard(text) }),
});
process.stdin.resume().on('end', () => {
  void store.stop().then(() => process.exit(0));
});

async function heard(text: string): Promise<void> {
  process.stdout.write(text);
  if (!text.includes('bodies are held')) return;
  const { datasetId, recordCount } = await getHead(database);
  const rowIds = Array.from({ length: recordCount }, (_, index) => index + 1);
  const bodies = await store.find(datasetId, rowIds);
  const expected = await findBodies(database, rowIds);
  const values = (await metrics.getSingleMetric('esd_bodies_read_total')?.get())?.values ?? [];
  const from = Object.fromEntries(values.map(({ labels, value }) => [String(labels['from']), value] as const));
  log.info({ from, right: bodies.every((body, index) => String(body) === expected[index]) }, 'all bodies were read');
}
