import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { smallSubmission } from '@esd/testing/records';
import { leaseStack } from '@esd/testing/leased-stack';
import type { TestStack } from '@esd/testing/stack';
import { z } from 'zod';
import { addAccount } from '../support/accounts.ts';
import { login, newAdmin } from '../support/admin.ts';
import { type Api, apiAt } from '../support/api.ts';
import { submitRecords, untilPublic } from '../support/dataset.ts';
import { expectError } from '../support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { newAddress } from '../support/new-address.ts';
import { whileAway } from '../support/while-away.ts';

const replica = z.object({
  address: z.string().optional(),
  state: z.string(),
  host: z.string().optional(),
  version: z.string().optional(),
  startedAt: z.iso.datetime().optional(),
  dependencies: z.record(z.string(), z.string()).default({}),
  datasetRevision: z.int().optional(),
  unknown: z.array(z.string()).default([]),
});
const waiting = z.object({ waiting: z.int(), oldestSeconds: z.number().optional() });
const status = z.object({
  at: z.iso.datetime(),
  warnings: z.array(z.string()),
  datasetRevision: z.int().optional(),
  services: z.array(
    z.object({
      name: z.string(),
      replicas: z.array(replica),
      databaseBytes: z.int().optional(),
      outbox: waiting.optional(),
    }),
  ),
  events: z
    .object({
      bytes: z.int(),
      consumers: z.array(
        z.object({ name: z.string(), waiting: z.int().optional(), unacknowledged: z.int().optional() }),
      ),
    })
    .optional(),
});

let stack: TestStack;
let api: Api;
let token: string;
beforeAll(async () => {
  stack = await leaseStack('replicated');
  api = apiAt(stack.url);
  ({ token } = await newAdmin(stack, api));
});
afterAll(() => stack.stop());

const read = async () => {
  const answer = await eventually(
    () => api.get('/admin/status', { bearer: token }),
    (one) => one.status === 200,
  );
  return status.parse(answer.json);
};
type Status = Awaited<ReturnType<typeof read>>;
const serviceOf = ({ services }: Status, name: string) => {
  const found = services.find((one) => one.name === name);
  if (!found) throw new Error(`${name} is not listed`);
  return found;
};
const statesOf = (of: Status, name: string) => serviceOf(of, name).replicas.map(({ state }) => state);
const addressOf = (name: string) => stack.addresses[name]?.['grpc'];

describe('GET /admin/status', () => {
  test('lists every replica of every service, with its dependencies, database and revision', async () => {
    const [recordId = 0] = await submitRecords(api, smallSubmission(1));
    await api.post(`/moderation/records/${recordId}/approve`, {}, { bearer: token });
    await untilPublic(api, [recordId]);
    const now = await eventually(
      read,
      (one) =>
        one.services.every(({ name, replicas, databaseBytes }) => {
          const isMeasured = name === 'gateway' || databaseBytes !== undefined;
          return isMeasured && replicas.every(({ state }) => state === 'READY');
        }) &&
        // The relay marks an event after its record is public.
        one.services.every(({ outbox }) => (outbox?.waiting ?? 0) === 0) &&
        one.events !== undefined &&
        serviceOf(one, 'dataset-svc').replicas.every(({ datasetRevision }) => datasetRevision === one.datasetRevision),
    );
    expect(Object.fromEntries(now.services.map(({ name, replicas }) => [name, replicas.length]))).toEqual({
      gateway: 1,
      'dataset-svc': 2,
      'identity-svc': 1,
      'submission-svc': 2,
      'media-svc': 1,
      'export-svc': 1,
    });
    expect(now.datasetRevision).toBeGreaterThan(0);
    for (const service of ['dataset-svc', 'submission-svc']) {
      const addresses = serviceOf(now, service).replicas.map(({ address }) => address);
      expect(addresses.toSorted()).toEqual([addressOf(service), addressOf(`${service}-2`)].toSorted());
    }
    for (const { replicas } of now.services) {
      for (const { version, startedAt, dependencies } of replicas) {
        expect(version).toMatch(/^\d+\.\d+\.\d+/);
        expect(new Date(startedAt ?? 0).getTime()).toBeGreaterThan(Date.now() - 86_400_000);
        expect(Object.values(dependencies)).not.toContain('down');
      }
    }
    for (const name of ['identity-svc', 'submission-svc', 'export-svc']) {
      expect([name, serviceOf(now, name).outbox]).toEqual([name, expect.objectContaining({ waiting: 0 })]);
    }
    expect(now.events?.consumers.map(({ name }) => name)).toContain('dataset-svc-record-approved');
  });

  test('requires an administrator with a session', async () => {
    expectError(await api.get('/admin/status'), 401, 'AUTH_REQUIRED');
    const { who } = await newAdmin(stack, api);
    const moderator = await addAccount(stack, who, newAddress('moderator'), 'MODERATOR');
    expectError(await api.get('/admin/status', { bearer: await login(api, moderator.who) }), 403, 'FORBIDDEN');
  });

  test('contains no secret', async () => {
    const { text } = await api.get('/admin/status', { bearer: token });
    const secrets = Object.keys(stack.addresses).flatMap((name) =>
      Object.entries(stack.environment(name)).flatMap(([setting, value]) =>
        /PASSWORD|SECRET|TOKEN|KEY|DATABASE_URL/.test(setting) && value !== undefined && value.length > 8
          ? [value]
          : [],
      ),
    );
    expect(secrets.length).toBeGreaterThan(10);
    for (const secret of secrets) expect(text).not.toContain(secret);
  });

  test.each(['gone', 'silent'] as const)(
    'shows a replica that is %s as away, leaves the others unchanged, and shows its return',
    async (how) => {
      await whileAway(stack, how, ['dataset-svc-2'], async () => {
        const isAway = ({ address }: { address?: string | undefined }) => address === addressOf('dataset-svc-2');
        // A replica without processor time for 2 s also counts as away, once.
        const now = await eventually(
          read,
          (one) =>
            statesOf(one, 'submission-svc').every((state) => state === 'READY') &&
            serviceOf(one, 'dataset-svc').replicas.every((of) => of.state === (isAway(of) ? 'AWAY' : 'READY')),
        );
        expect(now.warnings).toContain(`dataset-svc at ${addressOf('dataset-svc-2')} is not responding.`);
      });
      await eventually(read, (one) => statesOf(one, 'dataset-svc').every((state) => state === 'READY'));
    },
  );

  test('shows a service without a running replica', async () => {
    await whileAway(stack, 'gone', ['export-svc'], async () => {
      const now = await eventually(read, (one) => statesOf(one, 'export-svc').includes('AWAY'));
      expect(now.warnings).toContain('export-svc is not responding.');
      expect(serviceOf(now, 'export-svc').outbox).toBeUndefined();
    });
    await eventually(read, (one) => statesOf(one, 'export-svc').includes('READY'));
  });

  test('shows the number and age of waiting events while NATS does not respond, and none when it is back', async () => {
    const [recordId = 0] = await submitRecords(api, smallSubmission(1));
    await whileAway(stack, 'silent', ['nats'], async () => {
      await api.post(`/moderation/records/${recordId}/approve`, {}, { bearer: token });
      const isWaiting = (one: Status) => serviceOf(one, 'submission-svc').outbox?.oldestSeconds !== undefined;
      const first = await eventually(read, isWaiting);
      const { outbox } = serviceOf(first, 'submission-svc');
      expect(outbox?.waiting).toBeGreaterThan(0);
      const later = await eventually(
        read,
        (one) =>
          (serviceOf(one, 'submission-svc').outbox?.oldestSeconds ?? 0) > (outbox?.oldestSeconds ?? 0) + 1 &&
          serviceOf(one, 'submission-svc').replicas.every(({ unknown }) => unknown.includes('events')),
      );
      expect(later.events).toBeUndefined();
      expect(later.warnings).toContain('The event stream is unreachable.');
    });
    await untilPublic(api, [recordId]);
    const after = await eventually(
      read,
      (one) => serviceOf(one, 'submission-svc').outbox?.waiting === 0 && one.events !== undefined,
    );
    expect(serviceOf(after, 'submission-svc').outbox).toEqual({ waiting: 0 });
  });

  test('shows the events that wait for a stopped service, and none after it has processed them', async () => {
    const consumerOf = (one: Status) => {
      const found = one.events?.consumers.find(({ name }) => name === 'media-svc-record-approved');
      return (found?.waiting ?? 0) + (found?.unacknowledged ?? 0);
    };
    const [recordId = 0] = await submitRecords(api, smallSubmission(1));
    await whileAway(stack, 'gone', ['media-svc'], async () => {
      await api.post(`/moderation/records/${recordId}/approve`, {}, { bearer: token });
      await eventually(read, (one) => consumerOf(one) > 0);
    });
    await eventually(read, (one) => one.events !== undefined && consumerOf(one) === 0);
  });
});
