import { setTimeout as sleep } from 'node:timers/promises';
import { gateway, services } from '@esd/dev-stack/service-table';
import { smallSubmission } from '@esd/testing/records';
import { startStack, type TestStack } from '@esd/testing/stack';
import { login } from '../support/admin.ts';
import { demoAdmin } from '../support/demo-accounts.ts';
import { apiAt } from '../support/api.ts';
import { query } from '../support/database.ts';
import { expectExactlyOnce } from '../support/dataset-log.ts';
import { submitRecords, untilTotal } from '../support/dataset.ts';
import { type CheckedLoad, lineOf, underCheckedLoad } from '../support/drill-load.ts';
import { outcomes, startLoad } from '../support/load.ts';
import { whileAway } from '../support/while-away.ts';
import type { Drill } from './drill.ts';

interface Outage {
  part: string;
  how: 'gone' | 'silent';
}

const SERVERS = ['nats', 'object-store', 'postgres'];
// A killed gateway has no one to send a 503; the drill `replace` covers gateways.
const PARTS = [...SERVERS, ...services.map(({ name }) => name).filter((name) => name !== gateway)];
const ALL: Outage[] = PARTS.flatMap((part) => [
  { part, how: 'gone' },
  { part, how: 'silent' },
]);
/** The outages of the small part, with the ways that the tests of `e2e/faults` leave out. */
const FEW: Outage[] = [
  { part: 'nats', how: 'silent' },
  { part: 'object-store', how: 'gone' },
  { part: 'dataset-svc', how: 'gone' },
];
const READS_WORK_WITHOUT = ['nats', 'object-store'];
const WHOLE_MS = 60_000;
const PART_MS = 5_000;
const BEFORE_MS = 1_000;
const PUBLIC_MS = 30_000;
const RECORDS = 500;
const BETWEEN_APPROVALS_MS = 100;

export const away: Drill = {
  name: 'away',
  passes:
    'no read fails without NATS or S3, every other outage causes 503 and nothing else, approvals are public 30 s after it, and no process restarts.',
  run: async ({ whole, say }) => {
    const stack = await startStack();
    try {
      const counts = { outages: 0, reads: 0, 'failed reads without NATS or S3': 0, writes: 0, 'lost writes': 0 };
      const more = { approvals: 0, 'responses 503': 0, 'other wrong responses': 0, 'broken downloads': 0, restarts: 0 };
      const failures: string[] = [];
      for (const { part, how } of whole ? ALL : FEW) {
        const { load, approved, late, restarted } = await drillOutage(stack, part, how, whole ? WHOLE_MS : PART_MS);
        say(lineOf(`${part} ${how}`, load));
        const { reads, downloads, writes } = load;
        const all = [reads, downloads, writes];
        const failedReads = [...reads.refused, ...reads.lost, ...reads.wrong];
        // A download that had begun ends with its connection. There is one download at a time.
        const wrong = [
          ...all.flatMap((tally) => tally.wrong),
          ...reads.lost,
          ...writes.lost,
          ...downloads.lost.slice(1),
        ];
        const found: Record<string, readonly unknown[]> = {
          'failed reads': READS_WORK_WITHOUT.includes(part) ? failedReads : [],
          'responses other than 503': wrong,
          'lost writes': load.lostIds,
          'duplicated writes': load.extraIds,
          'approvals not public in time': late,
          'restarted processes': restarted,
        };
        for (const [what, list] of Object.entries(found)) {
          if (list.length > 0)
            failures.push(`${part} ${how}: ${list.length} ${what}: ${JSON.stringify(list.slice(0, 3))}`);
        }
        counts.outages += 1;
        counts.reads += reads.done;
        counts.writes += writes.done;
        counts['lost writes'] += load.lostIds.length;
        if (READS_WORK_WITHOUT.includes(part)) counts['failed reads without NATS or S3'] += failedReads.length;
        more.approvals += approved;
        more['responses 503'] += all.reduce((sum, { refused }) => sum + refused.length, 0);
        more['other wrong responses'] += wrong.length;
        more['broken downloads'] += downloads.lost.length;
        more.restarts += restarted.length;
      }
      await expectExactlyOnce(stack);
      return { counts: { ...counts, ...more }, failures };
    } finally {
      await stack.stop();
    }
  },
};

/** Runs one outage under a load of reads, downloads, submissions and approvals. */
async function drillOutage(
  stack: TestStack,
  part: string,
  how: Outage['how'],
  awayMs: number,
): Promise<{ load: CheckedLoad; approved: number; late: string[]; restarted: string[] }> {
  const api = apiAt(stack.url);
  const bearer = await login(api, demoAdmin(stack.dataDir));
  const pending = await submitRecords(api, smallSubmission(RECORDS), bearer);
  const others = [...SERVERS, ...Object.keys(stack.addresses)].filter((name) => name !== part);
  const pids = () => others.map((name) => `${name} ${stack.pid(name) ?? 'down'}`);
  const before = pids();
  let approved = 0;
  const late: string[] = [];
  const load = await underCheckedLoad(stack.url, stack.dataDir, async () => {
    const approvals = startLoad(1, async () => {
      await sleep(BETWEEN_APPROVALS_MS);
      const id = pending.shift();
      return id === undefined ? api.get('/health') : api.post(`/moderation/records/${id}/approve`, '', { bearer });
    });
    await sleep(BEFORE_MS);
    await whileAway(stack, how, [part], () => sleep(awayMs));
    const { 200: done = 0, 503: _, ...wrong } = outcomes(await approvals.stop());
    approved = done;
    if (Object.keys(wrong).length > 0) late.push(`approvals with other responses: ${JSON.stringify(wrong)}`);
    const [row] = await query(
      stack.databaseUrl('esd_submission'),
      `select count(*) from record where status = 'APPROVED'`,
    );
    await untilTotal(api, Number(row?.['count']), PUBLIC_MS).catch((error: unknown) => late.push(String(error)));
  });
  return { load, approved, late, restarted: pids().filter((one, index) => one !== before[index]) };
}
