import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import { smallSubmission } from '@esd/testing/records';
import type { TestStack } from '@esd/testing/stack';
import { addAccount } from './support/accounts.ts';
import { type Credentials, login, newAdmin } from './support/admin.ts';
import { type Api, apiAt } from './support/api.ts';
import { query } from './support/database.ts';
import { submitRecords, untilPublic } from './support/dataset.ts';
import { esdAdmin } from './support/esd-admin.ts';
import { eventually } from '@esd/testing/eventually';
import { allPublished, openEventStream } from './support/events.ts';
import { newAddress } from './support/new-address.ts';
import { oneTimeCode } from './support/one-time-code.ts';

let stack: TestStack;
let api: Api;
let token: string;
let staff: Credentials;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-admin-'));
  stack = await leaseStack('moderated');
  api = apiAt(stack.url);
  ({ token, who: staff } = await newAdmin(stack, api));
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

const admin = (...words: string[]) => esdAdmin([...words, '--data-dir', stack.dataDir]);
const NOT_YET = 'Nothing is changed. Repeat the command with --yes.';

async function approvedRecord(): Promise<number> {
  const [id = 0] = await submitRecords(api, smallSubmission(1));
  expect((await api.post(`/moderation/records/${id}/approve`, '', { bearer: token })).status).toBe(200);
  await untilPublic(api, [id]);
  return id;
}

describe('esd-admin', () => {
  test('status lists every process, consumer and job; its JSON has the same', async () => {
    await approvedRecord();
    // A consumer acknowledges an event after its record is public.
    const screen = await eventually(
      () => admin('status'),
      ({ stdout }) => /^dataset-svc-record-approved +0 +0$/m.test(stdout),
    );
    expect(screen.stdout).toMatch(/^gateway +READY +\d+\.\d+\.\d+ /m);
    expect(screen.stdout).toMatch(/^dataset-svc +READY .* postgres up, .*nats up$/m);
    expect(screen.stdout).toMatch(/^submission-svc: .+ ago$/m);
    expect(screen.code).toBe(screen.stdout.startsWith('no warnings') ? 0 : 1);
    const status = z.object({ warnings: z.array(z.string()), replicas: z.array(z.object({ service: z.string() })) });
    const { code, stdout } = await admin('status', '--json');
    const { replicas, warnings } = status.parse(JSON.parse(stdout));
    expect(new Set(replicas.map(({ service }) => service)).size).toBe(6);
    expect(code).toBe(warnings.length === 0 ? 0 : 1);
  });

  test('events shows the error of a dead letter; redrive needs --yes', async () => {
    const events = await openEventStream(stack);
    await events.publish(Buffer.from('no event'));
    await events.close();
    const { stdout, code } = await eventually(
      () => admin('events'),
      (found) => found.code === 1,
    );
    expect(stdout).toMatch(/^dataset-svc-record-approved .* 1 .*Error: /m);
    expect(code).toBe(1);
    expect(await admin('events', 'redrive', 'dataset-svc')).toMatchObject({
      code: 1,
      stdout: `dataset-svc: redrive\n${NOT_YET}\n`,
    });
    const redriven = await admin('events', 'redrive', 'dataset-svc', '--yes');
    expect(redriven).toMatchObject({ code: 0, stdout: expect.stringContaining('dead letters handled, events: 0') });
  });

  test('events republish publishes all events since a time', async () => {
    const since = new Date().toISOString();
    await approvedRecord();
    await allPublished(stack);
    const { code, stdout } = await admin('events', 'republish', 'submission-svc', '--since', since, '--yes');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^submission-svc: events will be published again, events: [1-9]\d*\n$/);
  });

  test('restore --recovered gives the dataset a new id and publishes all events again', async () => {
    const id = () => query(stack.databaseUrl('esd_dataset'), 'select dataset_id from dataset_head');
    const before = await id();
    expect((await admin('restore', '--recovered')).stdout).toBe(
      `dataset-svc: dataset-id\nidentity-svc: republish\nsubmission-svc: republish\nexport-svc: republish\n${NOT_YET}\n`,
    );
    expect(await id()).toEqual(before);
    expect(await admin('restore', '--recovered', '--yes')).toMatchObject({ code: 0 });
    expect(await id()).not.toEqual(before);
  });

  test('two-factor reset turns two-factor sign-in off and is audited', async () => {
    const email = newAddress('user');
    const { who } = await addAccount(stack, staff, email);
    const session = await login(api, who);
    const begin = await api.post('/auth/two-factor', { password: who.password }, { bearer: session });
    const { secret } = z.object({ secret: z.string() }).parse(begin.json);
    const on = await api.post('/auth/two-factor/confirm', { otp: oneTimeCode(secret) }, { bearer: session });
    expect(on.status).toBe(200);
    await expect(login(api, who)).rejects.toThrow('login: 401');
    expect(await admin('two-factor', 'reset', email)).toMatchObject({ code: 1 });
    await expect(login(api, who)).rejects.toThrow('login: 401');
    expect(await admin('two-factor', 'reset', email, '--yes')).toMatchObject({ code: 0 });
    await login(api, who);
    const audit = await api.get('/admin/audit?action=two-factor-reset', { bearer: token });
    expect(audit.json).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ action: 'two-factor-reset' })]),
    });
    expect(await admin('two-factor', 'reset', email, '--yes')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('has no second factor'),
    });
  });

  test('sweep and migrate run the commands of the services', async () => {
    expect((await admin('sweep', '--yes')).stdout).toMatch(/^media-svc: \d+ images deleted/);
    const { code, stdout } = await admin('migrate', '--yes', '--json');
    const results = z.object({ isDone: z.literal(true), results: z.array(z.object({ service: z.string() })) });
    expect([code, results.parse(JSON.parse(stdout)).results.length]).toEqual([0, 5]);
  });

  test('keys names no secret', async () => {
    const { code, stdout } = await admin('keys');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^service:gateway +\d+ (s|min|h) +add$/m);
    expect(stdout).not.toMatch(/[\w-]{40}/);
  });

  test.each([
    [['record', 'x'], /^record: "x" is not a record id/],
    [['keys', 'rotate', 'nothing'], /^keys rotate: "nothing" is not one of session, assertion, service:identity-svc/],
    [['nothing'], /^"nothing" is not a command\. Commands: status, record ID, /],
    [['status', '--nothing'], /^Unknown option '--nothing'\. Options: --compose, --kubernetes/],
    [['events', 'redrive', 'export-svc'], /^redrive: "export-svc" is not one of identity-svc/],
    [['events', 'republish', '--since', 'never'], /^--since: "never" is not a time/],
    [['status', '--compose', '--kubernetes', 'esd'], /^Choose one of/],
  ])('%j is wrong usage: exit code 2 and one line', async (words, message) => {
    const { code, stdout, stderr } = await esdAdmin(words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  test.each([
    [['--kubernetes', 'esd'], 'kubectl is not installed'],
    [['--compose'], 'docker is not installed'],
    [['--data-dir', '/nonexistent'], 'No stack runs in /nonexistent'],
  ])('status %j of an installation that is unreachable: exit code 3 and one line', async (selection, message) => {
    const { code, stdout, stderr } = await esdAdmin(['status', ...selection], {
      PATH: folder,
      COMPOSE: 'docker compose',
    });
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  test('a docker without the compose plugin is named', async () => {
    const PATH = join(folder, 'bin');
    await mkdir(PATH);
    // The response of the Docker client to `docker compose ps -q` without the plugin.
    const answer = `#!/bin/sh\necho "unknown shorthand flag: 'q' in -q" >&2\nexit 125\n`;
    await writeFile(join(PATH, 'docker'), answer, { mode: 0o755 });
    const { code, stderr } = await esdAdmin(['status', '--compose'], { PATH, COMPOSE: 'docker compose' });
    expect([code, stderr]).toEqual([3, expect.stringContaining('docker has no compose plugin')]);
  });

  test('backup check of a .part folder is an incomplete backup', async () => {
    const { code, stderr } = await esdAdmin(['backup', 'check', join(folder, '2026-01-31T12-00-00Z.part')]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('incomplete backup')]);
  });
});
