import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client as RpcChannel, credentials, Metadata, type ServiceError as RpcError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client as ObjectClient } from 'minio';
import pg from 'pg';
import { z } from 'zod';
import { IdentityServiceService } from '@esd/proto/esd/identity/v1/identity';
import { privateKeySet } from '@esd/service/config';
import { PEERS } from '@esd/proto/peers';
import { rpcClient } from '@esd/service/rpc/rpc-client';
import { METADATA } from '@esd/service/rpc/rpc-metadata';
import { serviceAssertions, type ServiceAssertions } from '@esd/service/auth/service-assertion';
import { request } from '@esd/testing/http';
import { leaseStack } from '@esd/testing/leased-stack';
import { newAdmin } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import { submitRecords } from '../support/dataset.ts';
import { connectNats } from '../support/events.ts';
import { query } from '../support/database.ts';
import { smallSubmission } from '@esd/testing/records';

/*
 * An attacker controls media-svc: the content of its environment, and all requests that reach it while an ADMIN uploads and deletes
 * images. With these secrets, only the calls of media-svc itself may succeed.
 */

/** The services that media-svc offers, for which its callers sign assertions. */
const ITS_TARGETS = ['esd.media.v1.ImageService', 'http:/images'];
/** The calls that media-svc may make. */
const ITS_CALLS = ['/esd.submission.v1.ImageUseService/FindImageUses'];

const stack = await leaseStack('fresh');
afterAll(() => stack.stop());
const api = apiAt(stack.url);
let token: string;
let recordId: number;
let accountsBefore: unknown[];
let stolen: NodeJS.ProcessEnv;
/** The headers that the attacker can send: the assertion of media-svc and the received ones, in all combinations. */
let headerSets: { name: string; headers: (target: string) => Record<string, string> }[];

const proofOf = (service: string, environment: NodeJS.ProcessEnv): ServiceAssertions =>
  serviceAssertions(service, {
    ESD_SERVICE_PRIVATE_KEYS: privateKeySet.parse(environment['ESD_SERVICE_PRIVATE_KEYS']),
  });

beforeAll(async () => {
  ({ token } = await newAdmin(stack, api));
  [recordId = 0] = await submitRecords(api, smallSubmission(1), token);
  stolen = stack.environment('media-svc');
  accountsBefore = await accounts();

  // Sent by the gateway to media-svc on behalf of the ADMIN.
  const gateway = proofOf('gateway', stack.environment('gateway'));
  const target = stack.addresses['identity-svc']?.['grpc'] ?? '';
  const identity = rpcClient(IdentityServiceService, { service: 'identity-svc', target, serviceAssertions: gateway });
  const { assertions } = await identity.resolveBearer({ bearer: token, targets: ITS_TARGETS }, { requestId: 'theft' });
  identity.channel.close();
  expect(assertions.length).toBe(ITS_TARGETS.length);
  const proofs: [string, (target: string) => Readonly<Record<string, string>>][] = [
    ['its own service assertion', proofOf('media-svc', stolen)],
    ['a service assertion in the name of the gateway', proofOf('gateway', stolen)],
    ...ITS_TARGETS.map((one): [string, () => Readonly<Record<string, string>>] => {
      return [`the service assertion of the gateway for ${one}`, () => gateway(one)];
    }),
    ['no service assertion', () => ({})],
  ];
  const callers = [{ target: 'no target', assertion: undefined }, ...assertions];
  headerSets = proofs.flatMap(([proof, headers]) =>
    callers.map((caller) => ({
      name: `${proof}, caller for ${caller.target}`,
      headers: (to: string) => ({
        [METADATA.requestId]: 'theft',
        ...headers(to),
        ...(caller.assertion === undefined ? {} : { [METADATA.assertion]: caller.assertion }),
      }),
    })),
  );
});

/** The accounts with their roles. */
const accounts = () => query(stack.databaseUrl('esd_identity'), 'select id, role, enabled from account order by id');

/** Returns the gRPC status of a call with an empty request. */
function codeOfCall(channel: RpcChannel, path: string, headers: Record<string, string>): Promise<string> {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return new Promise((resolve) => {
    const bytes = (value: Buffer): Buffer => value;
    const done = (error: RpcError | null): void => {
      resolve(error === null ? 'OK' : (status[error.code] ?? String(error.code)));
    };
    channel.makeUnaryRequest(path, bytes, bytes, Buffer.alloc(0), metadata, { deadline: Date.now() + 120_000 }, done);
  });
}

const SERVICES = {
  identity: 'identity-svc',
  submission: 'submission-svc',
  dataset: 'dataset-svc',
  export: 'export-svc',
};

describe.each(Object.entries(SERVICES))('the gRPC port of %s-svc', (name, process) => {
  test('rejects every call that media-svc may not make', async () => {
    const channel = new RpcChannel(stack.addresses[process]?.['grpc'] ?? '', credentials.createInsecure());
    const outcomes: [string, string, string][] = [];
    for (const [target, methods] of Object.entries(PEERS)) {
      if (!target.startsWith(`esd.${name}.`)) continue;
      for (const method of Object.keys(methods)) {
        const path = `/${target}/${method}`;
        if (ITS_CALLS.includes(path)) continue;
        for (const headerSet of headerSets)
          outcomes.push([path, headerSet.name, await codeOfCall(channel, path, headerSet.headers(target))]);
      }
    }
    channel.close();
    expect(outcomes.length).toBeGreaterThan(headerSets.length);
    expect(outcomes.filter(([, , code]) => code !== 'UNAUTHENTICATED' && code !== 'PERMISSION_DENIED')).toEqual([]);
  });
});

test('accepts the call that media-svc may make, so the others are rejected for their method', async () => {
  const channel = new RpcChannel(stack.addresses['submission-svc']?.['grpc'] ?? '', credentials.createInsecure());
  const [path = ''] = ITS_CALLS;
  const headers = headerSets[0]?.headers('esd.submission.v1.ImageUseService') ?? {};
  expect(await codeOfCall(channel, path, headers)).toBe('OK');
  channel.close();
});

test('the internal HTTP port of export-svc rejects every path', async () => {
  const base = stack.addresses['export-svc']?.['http'] ?? '';
  for (const path of [
    '/public/dataset/export?format=json',
    '/data/template.xlsx',
    '/data/parse-excel',
    '/images/../data/x',
  ]) {
    for (const { name, headers } of headerSets) {
      for (const target of ['http:/data', 'http:/public', 'http:/images']) {
        const answer = await request(base + path, {
          method: path === '/data/parse-excel' ? 'POST' : 'GET',
          headers: headers(target),
        });
        expect([path, name, [401, 403].includes(answer.status)]).toEqual([path, name, true]);
      }
    }
  }
});

test('the public interface accepts none of the secrets as a credential', async () => {
  for (const { headers } of headerSets) {
    for (const value of Object.values(headers('http:/images'))) {
      const answer = await request(`${stack.url}/admin/accounts`, { headers: { authorization: `Bearer ${value}` } });
      expect(answer.status).toBe(401);
    }
  }
});

test('no account, role, token, decision or release has changed', async () => {
  expect(await accounts()).toEqual(accountsBefore);
  expect(await query(stack.databaseUrl('esd_identity'), 'select id from personal_access_token')).toEqual([]);
  const [record] = await query(stack.databaseUrl('esd_submission'), 'select status from record where id = $1', [
    recordId,
  ]);
  expect(record).toEqual({ status: 'PENDING' });
  expect(await query(stack.databaseUrl('esd_dataset'), 'select id from release')).toEqual([]);
});

test('media-svc has no secret of another process', () => {
  const own = new Set(Object.values(stolen));
  const isSecret = /KEYS?$|PASSWORD$|TOKEN$|DATABASE_URL/;
  for (const process of ['gateway', 'identity-svc', 'submission-svc', 'dataset-svc', 'export-svc']) {
    const secrets = Object.entries(stack.environment(process)).filter(
      ([name, value]) =>
        name.startsWith('ESD_') && isSecret.test(name) && !name.endsWith('PUBLIC_KEYS') && value !== '',
    );
    expect(secrets.length).toBeGreaterThan(0);
    expect(secrets.filter(([, value]) => own.has(value)).map(([name]) => [process, name])).toEqual([]);
  }
});

test('its PostgreSQL password opens only its own database, and gives no rights on the server', async () => {
  const own = new URL(stolen['ESD_DATABASE_URL'] ?? '');
  for (const database of ['esd_identity', 'esd_submission', 'esd_dataset', 'esd_export', 'postgres', 'template1']) {
    const url = new URL(own);
    url.pathname = `/${database}`;
    const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 60_000 });
    await expect(client.connect()).rejects.toThrow(/permission denied|not permitted|no pg_hba/);
  }
  const [rights] = await query(
    own.href,
    `select rolsuper, rolcreaterole, rolcreatedb, rolreplication, pg_has_role('pg_read_server_files', 'member') as reads
     from pg_roles where rolname = current_user`,
  );
  expect(rights).toEqual({
    rolsuper: false,
    rolcreaterole: false,
    rolcreatedb: false,
    rolreplication: false,
    reads: false,
  });
});

test('its key of the object store opens only its own bucket', async () => {
  const { hostname, port } = new URL(stolen['ESD_S3_ENDPOINT'] ?? '');
  const client = new ObjectClient({
    endPoint: hostname,
    port: Number(port),
    useSSL: false,
    accessKey: stolen['ESD_S3_ACCESS_KEY'] ?? '',
    secretKey: stolen['ESD_S3_SECRET_KEY'] ?? '',
    pathStyle: true,
    region: 'us-east-1',
  });
  expect(await client.listObjects('esd-images').toArray()).toEqual([]);
  await expect(client.listObjects('esd-exports').toArray()).rejects.toMatchObject({ code: 'AccessDenied' });
  await expect(client.putObject('esd-exports', 'x', 'x')).rejects.toMatchObject({ code: 'AccessDenied' });
});

test('its NATS password publishes no event', async () => {
  const connection = await connectNats(stack, 'media-svc');
  for (const subject of ['esd.record.approved.v1', 'esd.account.deleted.v1', 'esd.snapshot.frozen.v1']) {
    await expect(connection.request(subject, 'x', { timeout: 60_000 })).rejects.toThrow(/permission/i);
  }
  await connection.close();
});

test('unauthenticated peer calls write one line to a log, without a stack trace', async () => {
  const line = z.looseObject({ msg: z.string(), level: z.number() });
  const text = await readFile(join(stack.dataDir, 'logs', 'identity-svc.log'), 'utf8');
  const lines = text.split('\n').flatMap((one) => (one.startsWith('{') ? [line.parse(JSON.parse(one))] : []));
  const refusals = lines.filter(({ msg }) => /^(unauthenticated peer call|peer not authorized)/.test(msg));
  expect(refusals.length).toBeGreaterThan(0);
  expect(refusals.length).toBeLessThan(60);
  expect(refusals.filter((one) => 'err' in one)).toEqual([]);
  expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
});
