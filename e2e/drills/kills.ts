import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { seeded, type Random } from '@esd/bench/random';
import { logWarnings } from '@esd/testing/log-warnings';
import { smallRecord } from '@esd/testing/records';
import { startStack, type TestStack } from '@esd/testing/stack';
import { verifyRelease } from '@esd/tools/verify-release';
import { createAdmin, type Credentials, login } from '../support/admin.ts';
import { type Answer, type Api, apiAt } from '../support/api.ts';
import { query } from '../support/database.ts';
import { expectExactlyOnce } from '../support/dataset-log.ts';
import { readAll } from '../support/dataset.ts';
import { eventually } from '@esd/testing/eventually';
import { type HoldPoint, holdStatement } from '../support/hold-statement.ts';
import { uploadImage } from '../support/images.ts';
import { serviceCommand } from '../support/service-command.ts';
import { submission } from '../support/shapes.ts';
import type { Drill, DrillContext } from './drill.ts';

const WHOLE = 1_000;
/** A session token expires after 30 minutes. */
const RENEWED_MS = 10 * 60_000;
const PART = 30;
const AGAIN_MS = 100;
const ACKNOWLEDGED_MS = 300_000;
const ARRIVED_MS = 300_000;
/** An event that a killed process received is delivered again after 5 s. */
const BOUNDARY_MS = 7_000;
const SWEEP_AHEAD_MS = 2 * 3_600_000;

/** The places where a process is killed: a statement of its service that waits, before or after its effect. */
const BOUNDARIES = {
  submit: { service: 'submission-svc', points: [{ table: 'submission', at: 'commit' }] },
  approve: {
    service: 'submission-svc',
    points: [{ table: 'outbox', at: 'commit', when: `new.subject = 'esd.record.approved.v1'` }],
  },
  // JetStream has the event; the outbox does not know yet.
  relay: {
    service: 'submission-svc',
    points: [{ table: 'outbox', at: 'update', when: 'new.published_at is not null' }],
  },
  consume: { service: 'dataset-svc', points: [{ table: 'record_revision', at: 'insert' }] },
  append: { service: 'dataset-svc', points: [{ table: 'record_revision', at: 'commit' }] },
  freeze: {
    service: 'export-svc',
    points: [
      { table: 'freeze_job', at: 'insert' },
      { table: 'freeze_job', at: 'update', when: 'old.release_id is null and new.release_id is not null' },
      { table: 'freeze_job', at: 'update', when: 'old.digest is null and new.digest is not null' },
      { table: 'freeze_file', at: 'insert', when: `new.format = 'zip'` },
      { table: 'outbox', at: 'commit' },
      { table: 'outbox', at: 'update', when: 'new.published_at is not null' },
    ],
  },
  claim: {
    service: 'media-svc',
    points: [
      { table: 'image', at: 'update', when: 'old.reserved_for is null and new.reserved_for is not null' },
      { table: 'image', at: 'update', when: 'old.record_id is null and new.record_id is not null' },
    ],
  },
} satisfies Record<string, { service: string; points: HoldPoint[] }>;

type Boundary = keyof typeof BOUNDARIES;
const NAMES = z
  .array(z.enum(['submit', 'approve', 'relay', 'consume', 'append', 'freeze', 'claim']))
  .parse(Object.keys(BOUNDARIES));

/**
 * The services of a lane are killed one after the other, those of different lanes independently. A freeze that needs dataset-svc would
 * hardly ever end while dataset-svc is killed too.
 */
const LANES = [['submission-svc'], ['dataset-svc', 'export-svc'], ['media-svc']];

interface Kill {
  boundary: Boundary;
  point: HoldPoint;
  /** Whether the waiting transaction is rolled back. Otherwise it commits, and its response is lost. */
  isLost: boolean;
}

/** The writes that the service has acknowledged. */
interface Acknowledged {
  submissions: number[];
  records: number[];
  approved: number[];
  releases: string[];
  /** The record of each image that a record contains. */
  images: Map<string, number>;
}

export const kills: Drill = {
  name: 'kills',
  passes: 'no acknowledged write is lost or stored twice, no ID is assigned twice, and the dataset log is complete.',
  run: async ({ seed, whole, say }) => {
    const stack = await startStack({ empty: true });
    try {
      const api = apiAt(stack.url);
      const { who } = await createAdmin(api);
      const all = planOf(seeded(seed), whole ? WHOLE : PART);
      const writes = writesTo(api, who);
      let done = 0;
      let failed: Error | undefined;
      const kill = async (one: Kill): Promise<void> => {
        try {
          await killAt(stack, one, writes[one.boundary]);
          done += 1;
          if (done % 50 === 0) say(`${done} of ${all.length} kills`);
        } catch (cause) {
          const log = await logWarnings(join(stack.dataDir, 'logs'));
          failed ??= new Error(`${one.boundary}, ${JSON.stringify(one.point)}\n${log}`, { cause });
        }
      };
      const lanes = LANES.map(async (services) => {
        for (const one of all)
          if (services.includes(BOUNDARIES[one.boundary].service) && failed === undefined) await kill(one);
      });
      await Promise.all(lanes);
      if (failed !== undefined) throw failed;
      say(NAMES.map((name) => `${name} ${all.filter(({ boundary }) => boundary === name).length}`).join(', '));
      const { acknowledged } = writes;
      const failures = await differences(stack, api, acknowledged, say);
      const { submissions, approved, releases, images } = acknowledged;
      return {
        counts: {
          kills: done,
          submissions: submissions.length,
          approvals: approved.length,
          releases: releases.length,
          images: images.size,
          ...failures.counts,
        },
        failures: failures.lines,
      };
    } finally {
      await stack.stop();
    }
  },
};

/** Chooses the kills. The first ones visit every boundary, so that a short plan leaves none out. */
function planOf(random: Random, count: number): Kill[] {
  return Array.from({ length: count }, (_, index) => {
    const boundary = NAMES[index] ?? random.pick(NAMES);
    return { boundary, point: random.pick<HoldPoint>(BOUNDARIES[boundary].points), isLost: random.next() < 0.5 };
  });
}

/** Starts a write, kills the process when the write reaches the boundary, and waits until its repetition is acknowledged. */
async function killAt(stack: TestStack, { boundary, point, isLost }: Kill, write: () => Promise<void>): Promise<void> {
  const { service } = BOUNDARIES[boundary];
  const url = stack.databaseUrl(`esd_${service.replace('-svc', '')}`);
  const hold = await holdStatement(url, point);
  const reached = hold.reached(ARRIVED_MS).then(() => true);
  reached.catch(() => undefined);
  let written = write();
  try {
    // A kill of another lane can end the work behind a write that is acknowledged, for example its claim.
    while (!(await Promise.race([reached, written.then(() => sleep(BOUNDARY_MS, false))]))) written = write();
    await stack.kill(service);
    if (isLost) await hold.cut();
  } finally {
    await hold.release();
  }
  if (service === 'export-svc') {
    // Otherwise the lease of the killed process expires after 30 s.
    await query(url, `update freeze_job set lease_until = now() where lease_until is not null`);
  }
  await stack.start(service);
  await written;
}

const answered = z.looseObject({ versionIdentifier: z.string() });

/** Returns a write for each boundary. It is repeated until it is acknowledged, as by a client that got no response. */
function writesTo(api: Api, who: Credentials) {
  let session = { token: '', at: 0 };
  const bearer = async (): Promise<string> => {
    if (Date.now() - session.at > RENEWED_MS) session = { token: await login(api, who), at: Date.now() };
    return session.token;
  };
  const acknowledged: Acknowledged = { submissions: [], records: [], approved: [], releases: [], images: new Map() };

  const submit = async (imageId?: string): Promise<number> => {
    const record = imageId === undefined ? smallRecord : { ...smallRecord, fiberImages: [{ imageId }] };
    const [body, headers] = [{ experimentData: [record] }, { 'idempotency-key': randomUUID() }];
    const send = async () => api.post('/data/submit', body, { headers, bearer: await bearer() });
    const answer = await untilAcknowledged(send, 201);
    const { submissionId, records } = submission.parse(answer.json);
    const recordId = records[0]?.recordId ?? 0;
    acknowledged.submissions.push(submissionId);
    acknowledged.records.push(recordId);
    if (imageId !== undefined) acknowledged.images.set(imageId, recordId);
    return recordId;
  };
  const approve = async (recordId: number): Promise<void> => {
    const path = `/moderation/records/${recordId}/approve`;
    await untilAcknowledged(async () => api.post(path, '', { bearer: await bearer() }), 200, 409);
    acknowledged.approved.push(recordId);
  };
  const publish = async (): Promise<void> => approve(await submit());
  const freeze = async (): Promise<void> => {
    const versionIdentifier = `v1.${acknowledged.releases.length}.0`;
    const body = { versionIdentifier };
    await untilAcknowledged(async () => api.post('/admin/versions', body, { bearer: await bearer() }), 202, 409);
    acknowledged.releases.push(versionIdentifier);
    await eventually(
      () => releasesOf(api),
      (listed) => listed.includes(versionIdentifier),
      ARRIVED_MS,
    );
  };
  const withImage = async (): Promise<void> => {
    let imageId: string | undefined;
    while (imageId === undefined) imageId = await uploadImage(api).catch(() => sleep(AGAIN_MS, undefined));
    await submit(imageId);
  };
  return {
    acknowledged,
    submit: async () => void (await submit()),
    approve: publish,
    relay: publish,
    consume: publish,
    append: publish,
    freeze,
    claim: withImage,
  };
}

/** Repeats a request while it is refused with 503. `repeated` is the status if an earlier attempt succeeded without a response. */
async function untilAcknowledged(send: () => Promise<Answer>, status: number, repeated?: number): Promise<Answer> {
  const deadline = Date.now() + ACKNOWLEDGED_MS;
  for (let isFirst = true; ; isFirst = false) {
    const answer = await send();
    if (answer.status === status || (!isFirst && answer.status === repeated)) return answer;
    if (answer.status !== 503 || Date.now() > deadline) throw new Error(`${answer.status} ${answer.text}`);
    await sleep(AGAIN_MS);
  }
}

async function releasesOf(api: Api): Promise<string[]> {
  const { status, json } = await api.get('/public/dataset/versions');
  return status === 200
    ? z
        .array(answered)
        .parse(json)
        .map(({ versionIdentifier }) => versionIdentifier)
    : [];
}

/** Compares what was acknowledged with what is stored and public. */
async function differences(
  stack: TestStack,
  api: Api,
  acknowledged: Acknowledged,
  say: DrillContext['say'],
): Promise<{ counts: Record<string, number>; lines: string[] }> {
  const lines: string[] = [];
  const counts = { lost: 0, duplicated: 0, 'IDs assigned twice': 0 };
  const compare = (what: string, expected: readonly unknown[], found: readonly unknown[]): void => {
    const [wanted, stored] = [new Set(expected), new Set(found)];
    const lost = [...wanted].filter((one) => !stored.has(one));
    const more = found.filter((one, index) => !wanted.has(one) || found.indexOf(one) !== index);
    counts.lost += lost.length;
    counts.duplicated += more.length;
    counts['IDs assigned twice'] += expected.length - wanted.size;
    if (lost.length > 0) lines.push(`${what} lost: ${lost.join(', ')}`);
    if (more.length > 0) lines.push(`${what} stored twice or without a request: ${more.join(', ')}`);
    if (expected.length !== wanted.size) lines.push(`${what}: ${expected.length - wanted.size} IDs assigned twice`);
  };
  const read = async (database: string, statement: string) =>
    (await query(stack.databaseUrl(database), statement)).map(({ id }) => id);
  const publicIds = async () => (await readAll(api)).map(({ recordId }) => recordId);

  // Events that a killed process received are delivered again after some seconds.
  await eventually(publicIds, (ids) => ids.length >= acknowledged.approved.length, ARRIVED_MS).catch(() => undefined);
  compare('submissions', acknowledged.submissions, await read('esd_submission', 'select id from submission'));
  compare('records', acknowledged.records, await read('esd_submission', 'select id from record'));
  compare('public records', acknowledged.approved, await publicIds());
  compare('releases', acknowledged.releases, await releasesOf(api));
  await expectExactlyOnce(stack).catch((error: unknown) => lines.push(`the log is not complete: ${String(error)}`));

  for (const version of acknowledged.releases) {
    const said: string[] = [];
    const signal = AbortSignal.timeout(ACKNOWLEDGED_MS);
    const isIntact = await verifyRelease({ url: stack.url, version, signal, say: (line) => said.push(line) });
    if (!isIntact) lines.push(`release ${version} is not intact: ${said.join('; ')}`);
  }
  // Resolves the reservations that a kill left, as the hourly sweep does after an hour.
  await query(stack.databaseUrl('esd_media'), `update image set since = since - interval '2 hours'`);
  const swept = await serviceCommand(stack, 'media-svc', ['sweep'], { aheadMs: SWEEP_AHEAD_MS });
  for (const line of swept.stdout.match(/^\d+ images .*/gm) ?? []) say(line);
  if (!/^0 objects MISSING/m.test(swept.stdout)) lines.push(`images lost: ${swept.stdout}`);
  const attached = await query(
    stack.databaseUrl('esd_media'),
    'select id, record_id from image where record_id is not null',
  );
  const pair = (image: unknown, record: unknown): string => `${String(image)} in record ${String(record)}`;
  compare(
    'images',
    [...acknowledged.images].map(([image, record]) => pair(image, record)),
    attached.map(({ id, record_id }) => pair(id, record_id)),
  );
  return { counts, lines };
}
