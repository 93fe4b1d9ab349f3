import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { smallSubmission } from '@esd/testing/records';
import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import { startStack, type TestStack } from '@esd/testing/stack';
import { type Api, apiAt } from '../support/api.ts';
import { createAdmin } from '../support/admin.ts';
import { query } from '../support/database.ts';
import { submitRecords, untilPublic } from '../support/dataset.ts';
import { expectError } from '../support/errors.ts';
import { esdAdmin } from '../support/esd-admin.ts';
import { eventually } from '@esd/testing/eventually';
import { readiness } from '../support/shapes.ts';
import { whileAway } from '../support/while-away.ts';

const publication = z.object({
  recordId: z.int(),
  revision: z.int(),
  status: z.string(),
  decidedAt: z.iso.datetime().nullable(),
  event: z.object({ id: z.uuid(), writtenAt: z.iso.datetime(), publishedAt: z.iso.datetime().nullable() }).nullable(),
  dataset: z.object({
    revision: z.int().nullable(),
    replicas: z.array(z.object({ instance: z.string(), revision: z.int().nullable() })),
  }),
  waitsFor: z.string().nullable(),
});
type Seen = z.output<typeof publication>;

const REPLICAS = ['dataset-svc', 'dataset-svc-2'];

let stack: TestStack;
let api: Api;
let token: string;
let own: number[];
beforeAll(async () => {
  stack = await startStack({ empty: true, replicas: { 'dataset-svc': REPLICAS.length } });
  api = apiAt(stack.url);
  ({ token } = await createAdmin(api));
  own = await submitRecords(api, smallSubmission(8), token);
});
afterAll(() => stack.stop());

const next = (): number => own.shift() ?? 0;

async function approve(id: number): Promise<void> {
  expect((await api.post(`/moderation/records/${id}/approve`, '', { bearer: token })).status).toBe(200);
}

async function byRequest(id: number): Promise<Seen> {
  // The gateway may still be connecting to a restarted service.
  const answer = await eventually(
    () => api.get(`/admin/records/${id}/publication`, { bearer: token }),
    ({ status }) => status !== 503,
  );
  expect(answer.status).toBe(200);
  return publication.parse(answer.json);
}

const admin = (...words: string[]) => esdAdmin([...words, '--data-dir', stack.dataDir]);

/** Checks that the request and the command agree, prints the command's screen, and returns the answer of the request. */
async function seen(id: number, waitsFor: string | null, runbook: string | null): Promise<Seen> {
  const request = await eventually(
    () => byRequest(id),
    (found) => found.waitsFor === waitsFor,
  );
  const withRunbook = z.object({ ...publication.shape, runbook: z.string().nullable() });
  // On a busy machine, a replica may not respond to the command in time.
  const command = await eventually(
    () => admin('record', String(id), '--json'),
    ({ stdout }) => withRunbook.parse(JSON.parse(stdout)).waitsFor === waitsFor,
  );
  const json = withRunbook.parse(JSON.parse(command.stdout));
  expect(json).toEqual({
    ...request,
    dataset: {
      ...request.dataset,
      replicas: request.dataset.replicas.map((one) => ({ ...one, instance: expect.any(String) })),
    },
    runbook,
  });
  const screen = await eventually(
    () => admin('record', String(id)),
    ({ stdout }) => stdout.includes(waitsFor ?? 'nothing; all replicas have the decision'),
  );
  process.stdout.write(`${waitsFor}\n${JSON.stringify(request)}\n${screen.stdout}\n`);
  expect([command.code, screen.code]).toEqual(waitsFor === null ? [0, 0] : [1, 1]);
  return request;
}

describe('GET /admin/records/{id}/publication and esd-admin record', () => {
  test('a pending record waits for a moderator', async () => {
    const id = next();
    const found = await seen(id, 'the decision of a moderator', null);
    expect(found).toMatchObject({ status: 'PENDING', decidedAt: null, event: null, dataset: { revision: null } });
  });

  test('an approved record waits for nothing once both replicas show it; so does a withdrawn record', async () => {
    const id = next();
    await approve(id);
    const approved = await seen(id, null, null);
    expect(approved).toMatchObject({ status: 'APPROVED', revision: 1, event: { publishedAt: expect.any(String) } });
    expect(approved.dataset.replicas).toHaveLength(REPLICAS.length);
    for (const { revision } of approved.dataset.replicas)
      expect(revision).toBeGreaterThanOrEqual(approved.dataset.revision ?? Infinity);
    expect((await api.get(`/public/dataset/records/${id}`)).status).toBe(200);

    const withdrawal = await api.post(
      `/moderation/records/${id}/withdraw`,
      { reason: 'A wrong unit' },
      { bearer: token },
    );
    expect(withdrawal.status).toBe(200);
    const withdrawn = await seen(id, null, null);
    expect(withdrawn).toMatchObject({ status: 'REJECTED', revision: 2 });
    expect(withdrawn.event?.id).not.toBe(approved.event?.id);
    expect(withdrawn.dataset.revision).toBeGreaterThan(approved.dataset.revision ?? Infinity);
    expect((await api.get(`/public/dataset/records/${id}`)).status).toBe(410);
  });

  test('a rejected record waits for nothing and has no event', async () => {
    const id = next();
    expect(
      (await api.post(`/moderation/records/${id}/reject`, { reason: 'A duplicate' }, { bearer: token })).status,
    ).toBe(200);
    expect(await byRequest(id)).toMatchObject({
      status: 'REJECTED',
      decidedAt: expect.any(String),
      event: null,
      waitsFor: null,
    });
  });

  test('while NATS is unavailable, an approved record waits for it; /ready and status warn', async () => {
    const id = next();
    await whileAway(stack, 'silent', ['nats'], async () => {
      await approve(id);
      const found = await seen(id, 'NATS, which is unavailable', 'docs/operations.md#esddependencydown');
      expect(found).toMatchObject({ status: 'APPROVED', event: { publishedAt: null }, dataset: { revision: null } });
      const age = `update outbox set created_at = created_at - interval '2 minutes' where published_at is null`;
      await query(stack.databaseUrl('esd_submission'), age);
      const { warnings } = await eventually(
        async () => readiness.parse((await api.get('/ready')).json),
        (ready) => ready.warnings.includes('submission-svc: events are waiting for their publication'),
      );
      expect(warnings).toEqual(expect.arrayContaining(['submission-svc: nats is down', 'dataset-svc: nats is down']));
      expect(warnings.filter((warning) => /^(?!gateway).*\d/.test(warning))).toEqual([]);
      const events = await admin('events');
      expect(events).toMatchObject({
        code: 1,
        stdout: expect.stringContaining(
          'The event stream is unreachable: NATS is unavailable; see docs/operations.md#esddependencydown',
        ),
      });
      const status = await admin('status');
      expect(status.code).toBe(1);
      expect(status.stdout).toMatch(
        /submission-svc: nats is down[^]*submission-svc: \d unpublished events, the oldest for/,
      );
    });
    await untilPublic(api, [id]);
    await eventually(
      async () => readiness.parse((await api.get('/ready')).json).warnings.filter((one) => one.includes('nats')),
      (warnings) => warnings.length === 0,
    );
  });

  test('while PostgreSQL is unavailable, record, events and status name it', async () => {
    const runbook = 'docs/operations.md#esddependencydown';
    await whileAway(stack, 'gone', ['postgres'], async () => {
      const record = await eventually(
        () => admin('record', '1'),
        ({ stdout }) => stdout !== '',
      );
      expect(record).toMatchObject({
        code: 1,
        stdout: `waits for  PostgreSQL, which is unavailable; see ${runbook}\n`,
      });
      const events = await admin('events');
      expect(events.code).toBe(1);
      expect(events.stdout).toMatch(/^submission-svc +unknown$/m);
      expect(events.stdout).toContain(`\nThe outboxes are unknown: PostgreSQL is unavailable; see ${runbook}\n`);
      const status = await admin('status');
      expect(status.code).toBe(1);
      expect(status.stdout).toMatch(/^WARNINGS\n {2}[\w-]+: postgres is down\n/);
      expect(status.stdout).toMatch(/^dataset-svc +NOT READY .* postgres DOWN, .*nats up$/m);
      expect(status.stdout).toMatch(/^dataset revision unknown$/m);
      expect(status.stdout).toMatch(new RegExp(`\nnext: ${runbook}\n$`));
      process.stdout.write(`${record.stdout}${events.stdout}${status.stdout}`);
    });
    await eventually(
      () => admin('status'),
      ({ stdout }) => /^dataset revision \d+ in the log$/m.test(stdout),
    );
  });

  test('while dataset-svc does not respond, a record waits for it', async () => {
    const id = next();
    await whileAway(stack, 'silent', REPLICAS, async () => {
      await approve(id);
      const found = await seen(id, 'dataset-svc, which does not respond', 'docs/operations.md#esdtargetdown');
      expect(found.dataset.replicas.map(({ revision }) => revision)).toEqual([null, null]);
    });
    await untilPublic(api, [id]);
  });

  test('while one replica does not respond, a record waits for this replica', async () => {
    const id = next();
    await whileAway(stack, 'silent', ['dataset-svc-2'], async () => {
      await approve(id);
      const { waitsFor } = await eventually(
        () => byRequest(id),
        (found) => found.waitsFor?.startsWith('the replica') ?? false,
      );
      expect(waitsFor).toMatch(/^the replica 127\.0\.0\.1:\d+ of dataset-svc, which does not respond$/);
      expect((await admin('record', String(id))).stdout).toContain('the replica dataset-svc-2 of dataset-svc');
    });
  });

  test('a record whose event became a dead letter waits for a redrive', async () => {
    const id = next();
    await whileAway(stack, 'gone', ['nats'], async () => {
      await approve(id);
      // Otherwise, its relay publishes the event that it has read.
      await stack.kill('submission-svc');
      const approvedAt = new Date();
      const event = { recordId: id, recordRevision: 1, recordJson: Buffer.from('no JSON'), approvedAt };
      const damage = `update outbox set body = $1 where published_at is null and subject = 'esd.record.approved.v1'`;
      const damaged = Buffer.from(RecordApproved.encode(event).finish());
      await query(stack.databaseUrl('esd_submission'), damage, [damaged]);
      await stack.start('submission-svc');
    });
    const waitsFor = 'a redrive of the dead letters of dataset-svc-record-approved';
    expect(await seen(id, waitsFor, 'docs/operations.md#esddeadletters')).toMatchObject({
      event: { publishedAt: expect.any(String) },
      dataset: { revision: null },
    });
    expect((await admin('status')).stdout).toContain('dataset-svc-record-approved: 1 dead letter\n');
  });

  test('an unknown record returns 404 or exit code 1; an invalid id 400 or 2', async () => {
    const unknown = await eventually(
      () => api.get('/admin/records/999999/publication', { bearer: token }),
      ({ status }) => status !== 503,
    );
    expectError(unknown, 404, 'RECORD_NOT_FOUND');
    expect((await api.get('/admin/records/x/publication', { bearer: token })).status).toBe(400);
    expect(await admin('record', '999999')).toEqual({ code: 1, stdout: '', stderr: 'There is no record 999999.\n' });
    expect(await admin('record', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^record: "x" is not a record id.*\n$/),
    });
  });

  test('status works while identity-svc is unavailable', async () => {
    await whileAway(stack, 'gone', ['identity-svc'], async () => {
      const status = await admin('status');
      expect(status.stdout).toContain('identity-svc does not respond');
      expect(status.stdout).toMatch(/gateway +READY/);
      expect(status.stdout).toMatch(/\nnext: docs\/operations\.md#esdtargetdown\n$/);
      process.stdout.write(status.stdout);
    });
  });
});
