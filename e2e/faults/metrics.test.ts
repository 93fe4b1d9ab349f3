import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ProcessName, SERVICES } from '@esd/service/names/services';
import { request } from '@esd/testing/http';
import { startStack, type TestStack } from '@esd/testing/stack';
import { eventually } from '@esd/testing/eventually';
import { scrape } from '../support/metrics.ts';
import { whileAway } from '../support/while-away.ts';

const OF_DATABASE = [
  'esd_db_size_bytes',
  'esd_outbox_pending',
  'esd_outbox_oldest_seconds',
  'esd_records_pending',
  'esd_records_pending_oldest_seconds',
];
const OF_NATS = ['esd_stream_bytes', 'esd_consumer_exists', 'esd_consumer_pending', 'esd_dead_letters'];

let stack: TestStack;
beforeAll(async () => {
  stack = await startStack({ empty: true });
});
afterAll(() => stack.stop());

async function present(process: ProcessName, names: readonly string[]): Promise<string[]> {
  const found = new Set((await scrape(stack, process)).map(({ metric }) => metric));
  return names.filter((name) => found.has(name));
}

/** Scrapes a process with a limit of 1 s, the usual limit of a scraper in a hurry. */
async function scrapeInTime(process: ProcessName): Promise<number> {
  const { status } = await request(`${stack.addresses[process]?.['http'] ?? ''}/metrics`, { timeoutMs: 1_000 });
  return status;
}

test.each([
  { server: 'postgres', how: 'gone', names: OF_DATABASE },
  { server: 'postgres', how: 'silent', names: OF_DATABASE },
  { server: 'nats', how: 'silent', names: OF_NATS },
] as const)('while $server is $how, its gauges are absent and each scrape succeeds', async ({ server, how, names }) => {
  await eventually(
    () => present('submission-svc', names),
    (found) => found.length === names.length,
  );
  await whileAway(stack, how, [server], async () => {
    for (const process of SERVICES) expect(await scrapeInTime(process)).toBe(200);
    await eventually(
      () => present('submission-svc', names),
      (found) => found.length === 0,
    );
    const other = server === 'nats' ? OF_DATABASE : OF_NATS;
    expect(await present('submission-svc', other)).toEqual(other);
  });
  await eventually(
    () => present('submission-svc', names),
    (found) => found.length === names.length,
  );
});
