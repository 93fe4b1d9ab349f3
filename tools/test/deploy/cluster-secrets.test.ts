import { createServer, type IncomingMessage, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ClusterApi } from '../../deploy/cluster-api.ts';
import { ALL_SECRETS, createClusterSecrets } from '../../deploy/cluster-secrets.ts';
import { completeSecrets } from '../../deploy/secret-values.ts';
import { member, text } from '@esd/dev-stack/json-value';

/**
 * A fake of the Secrets API of Kubernetes. Creating an existing name and replacing an old version return 409. Values are sent as stringData
 * and returned as base64 data.
 */
class SecretsApi {
  readonly secrets = new Map<string, { version: number; data: Record<string, string> }>();
  /** Called before each write, to simulate another client. */
  beforeWrite: (name: string) => void = () => undefined;
  writes: string[] = [];
  readonly #server: Server;
  #versions = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      void this.#answer(request).then(([status, body]) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
  }

  put(name: string, values: Record<string, string>): void {
    const data = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
    this.secrets.set(name, { version: ++this.#versions, data: Object.fromEntries(data) as Record<string, string> });
  }

  values(name: string): Record<string, string> {
    const data = Object.entries(this.secrets.get(name)?.data ?? {});
    return Object.fromEntries(data.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
  }

  async start(): Promise<ClusterApi> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    return { url: `http://127.0.0.1:${port}`, token: 'token', namespace: 'esd-dev' };
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage): Promise<[number, object]> {
    const [, inPath] = /^\/api\/v1\/namespaces\/esd-dev\/secrets(?:\/([a-z0-9-]+))?$/.exec(request.url ?? '') ?? [];
    if (request.headers.authorization !== 'Bearer token') return [401, { message: 'Unauthorized' }];
    if (request.method === 'GET') {
      const stored = this.secrets.get(inPath ?? '');
      if (stored === undefined) return [404, { message: 'not found' }];
      return [200, { metadata: { name: inPath, resourceVersion: String(stored.version) }, data: stored.data }];
    }
    const body: unknown = await json(request);
    const name = text(member(member(body, 'metadata'), 'name'));
    this.beforeWrite(name);
    const stored = this.secrets.get(name);
    if (request.method === 'POST' && stored !== undefined) return [409, { message: 'already exists' }];
    const version = member(member(body, 'metadata'), 'resourceVersion');
    if (request.method === 'PUT' && (inPath !== name || version !== String(stored?.version)))
      return [409, { message: 'modified' }];
    this.writes.push(`${request.method ?? ''} ${name}`);
    this.put(name, member(body, 'stringData') as Record<string, string>); // the API accepts nothing else
    return [200, {}];
  }
}

const postgres = { address: 'postgres:5432', parameters: '' };

describe('the Secrets of a cluster', () => {
  let server: SecretsApi;
  let api: ClusterApi;

  beforeEach(async () => {
    server = new SecretsApi();
    api = await server.start();
  });

  afterEach(() => {
    server.stop();
  });

  test('are all created in an empty namespace, and a second run changes nothing', async () => {
    const changed = await createClusterSecrets(api, postgres);
    expect(changed).toEqual([...server.secrets.keys()]);
    expect(changed[0]).toBe(ALL_SECRETS);
    const { ESD_DATABASE_PASSWORD_DATASET: password } = server.values('esd-postgres');
    expect(server.values('esd-dataset-svc')).toMatchObject({
      ESD_DATABASE_URL: `postgres://esd_dataset:${password}@postgres:5432/esd_dataset`,
      ESD_NATS_PASSWORD: server.values('esd-nats')['ESD_NATS_PASSWORD_DATASET'],
    });
    const before = structuredClone(server.secrets);
    expect(await createClusterSecrets(api, postgres)).toEqual([]);
    expect(server.secrets).toEqual(before);
  });

  test('keep known values: a missing value is created, and a deleted Secret is restored unchanged', async () => {
    await createClusterSecrets(api, postgres);
    const all = server.values(ALL_SECRETS);
    const gateway = server.values('esd-gateway');
    server.secrets.delete('esd-gateway');
    const { ESD_BOOTSTRAP_TOKEN: _, ...rest } = all;
    server.put(ALL_SECRETS, { ...rest, ESD_SMTP_URL: 'smtp://mail:25' });
    server.writes = [];
    expect(await createClusterSecrets(api, postgres)).toEqual([ALL_SECRETS, 'esd-identity-svc', 'esd-gateway']);
    expect(server.writes).toEqual([`PUT ${ALL_SECRETS}`, 'PUT esd-identity-svc', 'POST esd-gateway']);
    expect(server.values('esd-gateway')).toEqual(gateway);
    expect(server.values(ALL_SECRETS)).toMatchObject(rest);
    expect(server.values('esd-identity-svc')).toMatchObject({ ESD_SMTP_URL: 'smtp://mail:25' });
    expect(server.values('esd-identity-svc')['ESD_BOOTSTRAP_TOKEN']).not.toBe(all['ESD_BOOTSTRAP_TOKEN']);
  });

  test('of two concurrent runs are those of the first writer', async () => {
    const theirs = Object.fromEntries(completeSecrets(new Map()));
    server.beforeWrite = (name) => {
      if (name === ALL_SECRETS && !server.secrets.has(name)) server.put(name, theirs);
    };
    await createClusterSecrets(api, postgres);
    expect(server.values(ALL_SECRETS)).toEqual(theirs);
    expect(server.values('esd-gateway')).toEqual({
      ESD_SERVICE_PRIVATE_KEYS: theirs['ESD_SERVICE_PRIVATE_KEYS_GATEWAY'],
    });
  });

  test('fail with an error after repeated conflicts, and if the API server refuses', async () => {
    server.beforeWrite = (name) => {
      server.put(name, { other: String(Math.random()) });
    };
    await expect(createClusterSecrets(api, postgres)).rejects.toThrow(
      'Secret esd-secrets was changed by another client',
    );
    await expect(createClusterSecrets({ ...api, token: 'another' }, postgres)).rejects.toThrow(
      'GET /api/v1/namespaces/esd-dev/secrets/esd-secrets: 401 {"message":"Unauthorized"}',
    );
  });
});
