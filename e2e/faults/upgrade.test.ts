import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type Answer, request, type RequestOptions } from '@esd/testing/http';
import { startStack, type TestStack } from '@esd/testing/stack';
import { root } from '@esd/dev-stack/root';
import { verifyVersion } from '@esd/tools/verify-version';
import type { Api } from '../support/api.ts';
import { addAccount } from '../support/accounts.ts';
import { createAdmin, type Credentials, login } from '../support/admin.ts';
import { query } from '../support/database.ts';
import { expectExactlyOnce } from '../support/dataset-log.ts';
import { readAll, submitRecords, untilPublic, untilTotal } from '../support/dataset.ts';
import { eventually } from '../support/eventually.ts';
import { type Load, outcomes, startLoad, stopLoads } from '../support/load.ts';
import { mailSaying } from '../support/mail.ts';
import { newAddress } from '../support/new-address.ts';
import { formerRelease, layOutRelease } from '../support/release.ts';
import { serviceCommand } from '../support/service-command.ts';
import { smallSubmission } from '@esd/testing/records';

/** The order of docs/operations.md: those who are called before those who call them. */
const ORDER = ['identity-svc', 'dataset-svc', 'media-svc', 'submission-svc', 'export-svc'];
// A caller tries the address of a copy that was away again within a second.
const MIXED_MS = 2_000;
// With both processors taken by others.
const DRILL_MS = 600_000;
const REASON = 'The paper was retracted.';

/** What all releases answer to a submission. */
const outcome = z.looseObject({ records: z.array(z.looseObject({ recordId: z.int() })) });

const ref = await formerRelease();
if (ref === undefined) {
  console.warn('There is no release before this one: name a git ref by ESD_TEST_UPGRADE_FROM to upgrade from.');
}
const upgradeTest = ref === undefined ? test.skip : test;

let stack: TestStack;
let remove: () => Promise<void>;
let checkout: string;
let gateway: string;
// The document of one release does not describe the answers of the other.
const send = (path: string, options?: RequestOptions): Promise<Answer> => request(gateway + path, options);
const api: Api = {
  url: '',
  get: send,
  head: (path, options) => send(path, { ...options, method: 'HEAD' }),
  post: (path, body, options) => send(path, { ...options, method: 'POST', body }),
  put: (path, body, options) => send(path, { ...options, method: 'PUT', body }),
  patch: (path, body, options) => send(path, { ...options, method: 'PATCH', body }),
  delete: (path, options) => send(path, { ...options, method: 'DELETE' }),
};

let who: Credentials;
let token: string;
let kept: unknown[];
let isFrozen = false;
beforeAll(async () => {
  if (ref === undefined) return;
  ({ checkout, remove } = await layOutRelease(ref));
  const replicas = Object.fromEntries([...ORDER, 'gateway'].map((name) => [name, 2]));
  // What runs beside the former release takes its proofs too.
  stack = await startStack({ empty: true, replicas, checkout, env: { ESD_STRICT_PEERS: 'off' } });
  gateway = stack.url;
  ({ who, token } = await createAdmin(api));
  const ids = await submitRecords(api, smallSubmission(20), token);
  expect((await api.post('/moderation/approve', { recordIds: ids }, { bearer: token })).status).toBe(200);
  await untilTotal(api, ids.length);
  kept = await readAll(api);
  // A release before the first that had versions answers 404.
  isFrozen = (await api.post('/admin/versions', { versionIdentifier: 'v1.0.0' }, { bearer: token })).status === 202;
  if (!isFrozen) return;
  await eventually(
    () => api.get('/public/dataset/v1.0.0'),
    ({ status }) => status === 200,
    60_000,
  );
}, 700_000);
afterEach(stopLoads);
afterAll(async () => {
  if (ref === undefined) return;
  await stack.stop();
  await remove();
});

const PATHS = [
  '/public/dataset?limit=5',
  `/public/dataset?filter=${encodeURIComponent('{"polymer":"PVA","voltageMin":10}')}`,
  '/public/dataset/export?format=json',
  '/metadata/polymers',
  '/data/statuses',
];

const reading = (): Load => startLoad(1, (number) => api.get(PATHS[number % PATHS.length] ?? ''));

const OWN_PATHS = ['/auth/me', '/data/my-records/ids', '/versions'];

const readingOwn = (): Load =>
  startLoad(1, (number) => api.get(OWN_PATHS[number % OWN_PATHS.length] ?? '', { bearer: token }));

/** Submits and approves. */
const writing = (): Load =>
  startLoad(1, async () => {
    const submitted = await api.post('/data/submit', smallSubmission(), { bearer: token });
    if (submitted.status !== 201) return submitted;
    const [record] = outcome.parse(submitted.json).records;
    return api.post(`/moderation/records/${record?.recordId ?? 0}/approve`, '', { bearer: token });
  });

/** Runs `work` under load: no read fails, signed in or not, and a write is done or refused with 503. */
async function underLoad(work: () => Promise<void>): Promise<void> {
  const [reads, ownReads, writes] = [reading(), readingOwn(), writing()];
  await work();
  const read = outcomes(await reads.stop());
  const readOwn = outcomes(await ownReads.stop());
  const written = outcomes(await writes.stop());
  console.info(`reads ${JSON.stringify(read)}, own ${JSON.stringify(readOwn)}, writes ${JSON.stringify(written)}`);
  expect([Object.keys(read), Object.keys(readOwn)]).toEqual([['200'], ['200']]);
  expect(Object.keys(written).filter((outcome) => outcome !== '503')).toEqual(['200']);
}

/** Publishes a record of a new account, withdraws it, writes its owner a message about it, and says who that is. */
async function withdrawOne(): Promise<{ id: number; owner: string }> {
  const owner = newAddress('owner');
  const bearer = await login(api, (await addAccount(stack, who, owner)).who);
  const [id = 0] = await submitRecords(api, smallSubmission(), bearer);
  await decide(id, 'approve');
  await untilPublic(api, [id]);
  await decide(id, 'withdraw', { reason: REASON });
  const text = 'Which solvent did you use?';
  expect((await api.post(`/data/records/${id}/messages`, { text }, { bearer: token })).status).toBe(201);
  return { id, owner };
}

async function decide(id: number, what: string, body: object | string = ''): Promise<void> {
  const answer = await api.post(`/moderation/records/${id}/${what}`, body, { bearer: token });
  expect([what, answer.status, answer.text]).toEqual([what, 200, expect.any(String)]);
}

/** Waits until readers are told of a withdrawal and the owner of the message, and makes the record public again. */
async function takeBack({ id, owner }: { id: number; owner: string }): Promise<void> {
  const read = () => api.get(`/public/dataset/records/${id}`);
  expect((await eventually(read, ({ status }) => status === 410)).json).toMatchObject({
    withdrawn: { reason: REASON },
  });
  await mailSaying(stack.dataDir, owner, `Record ${id}: withdrawn, so no longer public`);
  await mailSaying(stack.dataDir, owner, `Record ${id}: a moderator wrote a message`);
  await decide(id, 'restore');
  await decide(id, 'approve');
  await untilPublic(api, [id]);
}

async function expectWhole(): Promise<void> {
  const approved = await query(
    stack.databaseUrl('esd_submission'),
    `select distinct record_id from audit where action = 'approve'`,
  );
  await untilTotal(api, approved.length, 30_000);
  const all = await readAll(api);
  expect(all.slice(0, kept.length)).toEqual(kept);
  await expectExactlyOnce(stack);
  if (!isFrozen) return;
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  const whole = await verifyVersion({ url: gateway, version: 'v1.0.0', signal: AbortSignal.timeout(60_000), say });
  expect([whole, lines]).toEqual([true, lines]);
}

upgradeTest(
  `services of ${ref ?? 'a former release'} serve while the schema is migrated, and start on the new one`,
  async () => {
    await underLoad(async () => {
      for (const service of ORDER) {
        const { code, stderr } = await serviceCommand(stack, service, ['migrate']);
        expect([code, stderr]).toEqual([0, expect.any(String)]);
      }
      await sleep(MIXED_MS);
      for (const service of ORDER) {
        for (const name of [`${service}-2`, service]) {
          await stack.restart(name, checkout);
          await sleep(MIXED_MS);
        }
      }
    });
    await expectWhole();
  },
  DRILL_MS,
);

upgradeTest(
  'one service after the other is replaced, with old and new copies side by side',
  async () => {
    await underLoad(async () => {
      for (const service of ORDER) {
        for (const name of [`${service}-2`, service]) {
          await stack.restart(name, root);
          await sleep(MIXED_MS);
        }
      }
    });
    await expectWhole();
    for (const [name, other] of [
      ['gateway-2', 'gateway'],
      ['gateway', 'gateway-2'],
    ] as const) {
      gateway = stack.addresses[other]?.['public'] ?? '';
      await underLoad(async () => {
        await stack.restart(name, root);
        await sleep(MIXED_MS);
      });
      // What only the new release can do, while a gateway of the former one runs.
      gateway = stack.addresses[name]?.['public'] ?? '';
      await takeBack(await withdrawOne());
    }
    await expectWhole();
    expect(await login(api, who)).toEqual(expect.any(String));
    await eventually(
      () => api.get('/ready'),
      ({ status }) => status === 200,
    );
  },
  DRILL_MS,
);

upgradeTest(
  'what is withdrawn while dataset-svc is of the former release takes effect when the new one runs',
  async () => {
    const copies = ['dataset-svc-2', 'dataset-svc'];
    for (const name of copies) await stack.restart(name, checkout);
    const withdrawn = await withdrawOne();
    // The former release goes on publishing.
    const [other = 0] = await submitRecords(api, smallSubmission(), token);
    await decide(other, 'approve');
    await untilPublic(api, [other]);
    for (const name of copies) await stack.restart(name, root);
    await takeBack(withdrawn);
    await expectWhole();
  },
  DRILL_MS,
);
