import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { StatusServiceService } from '@esd/proto/esd/common/v1/status';
import { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { ReleaseServiceService } from '@esd/proto/esd/dataset/v1/releases';
import { ReferenceServiceService } from '@esd/proto/esd/dataset/v1/reference';
import {
  Credential,
  IdentityServiceService,
  type ResolveBearerRequest,
  type ResolveBearerResponse,
  Role,
} from '@esd/proto/esd/identity/v1/identity';
import { ModerationServiceService, SubmissionServiceService } from '@esd/proto/esd/submission/v1/submission';
import { httpDrain } from '@esd/service/http/drain-http';
import { METADATA } from '@esd/service/rpc/rpc-metadata';
import { type CallContext, rpcService, startRpcServer } from '@esd/service/rpc/rpc-server';
import type { RpcDefinition, RpcMethods } from '@esd/service/rpc/rpc-types';
import { demoDatasetFile } from '@esd/testing/demo';
import { retryingFetch } from '@esd/testing/http';
import { testPeers } from '@esd/testing/peers';
import { loadConfig } from '../src/config.ts';
import { startGateway as startService } from '../src/service.ts';

export const ACCOUNT = '0190d2b0-0000-7000-8000-000000000001';

/** The response of identity-svc for a session of an ADMIN; its assertions are the account id. */
export function resolvedAdmin({ targets }: ResolveBearerRequest): ResolveBearerResponse {
  return {
    role: Role.ROLE_ADMIN,
    credential: Credential.CREDENTIAL_SESSION,
    accountId: ACCOUNT,
    twoFactorMissing: false,
    assertions: targets.map((target) => ({ target, assertion: ACCOUNT })),
  };
}

type Answers<Definition> = Partial<RpcMethods<Definition, CallContext>>;

/** The responses of the services behind the gateway in a test; other methods fail. */
export interface UpstreamServer {
  dataset?: Answers<DatasetServiceService>;
  releases?: Answers<ReleaseServiceService>;
  reference?: Answers<ReferenceServiceService>;
  identity?: Answers<IdentityServiceService>;
  submission?: Answers<SubmissionServiceService>;
  moderation?: Answers<ModerationServiceService>;
  status?: Answers<StatusServiceService>;
}

const closing: (() => Promise<void> | void)[] = [];

/** Closes everything that this file opened, in reverse order. */
export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}

function withRest<Definition extends RpcDefinition>(definition: Definition, answers: Answers<Definition> = {}) {
  const rest = Object.keys(definition).map((name) => [
    name,
    () => Promise.reject(new Error('not mocked in this test')),
  ]);
  // Every method of the definition now has an implementation, possibly a failing one.
  return rpcService(definition, { ...Object.fromEntries(rest), ...answers } as RpcMethods<Definition, CallContext>);
}

/** Starts a gRPC server that replaces all services, for behavior that the real ones cannot be forced into. */
export async function startUpstream(answers: UpstreamServer, port = 0) {
  const server = await startRpcServer({
    listen: { host: '127.0.0.1', port },
    services: [
      withRest(DatasetServiceService, answers.dataset),
      withRest(ReleaseServiceService, answers.releases),
      withRest(ReferenceServiceService, answers.reference),
      withRest(IdentityServiceService, answers.identity),
      withRest(SubmissionServiceService, answers.submission),
      withRest(ModerationServiceService, answers.moderation),
      withRest(StatusServiceService, answers.status),
    ],
    guard: ({ header }) => {
      const accountId = header(METADATA.assertion);
      return {
        peer: 'gateway',
        caller: accountId === undefined ? undefined : { accountId, role: 'ADMIN', credential: 'session' },
      };
    },
    log: pino({ level: 'silent' }),
  });
  server.setServing(true);
  closing.push(() => server.drain(0.1));
  return server;
}

export async function startStreamServer(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(handle);
  const drain = httpDrain(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => drain(0.1));
  return `http://127.0.0.1:${portOf(server.address())}`;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server.address());
  server.close();
  await once(server, 'close');
  return port;
}

interface GatewayOptions {
  ports: number[];
  exportHttp?: string[];
  env?: NodeJS.ProcessEnv;
}

/** Returns the settings of a gateway in front of the upstream servers at `ports` and the endpoints `exportHttp`. */
export function gatewayConfig({ ports, exportHttp = [], env = {} }: GatewayOptions) {
  const target = `ipv4:${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
  return loadConfig({
    ESD_SERVICE_PRIVATE_KEYS: testPeers('gateway').settings.ESD_SERVICE_PRIVATE_KEYS,
    ESD_DATASET_FILE: demoDatasetFile,
    ESD_IDENTITY_TARGET: target,
    ESD_DATASET_TARGET: target,
    ESD_SUBMISSION_TARGET: target,
    ESD_MEDIA_TARGET: target,
    ESD_MEDIA_HTTP: 'http://127.0.0.1:1',
    ESD_EXPORT_TARGET: target,
    ESD_EXPORT_HTTP: exportHttp.length > 0 ? exportHttp.join(',') : 'http://127.0.0.1:1',
    ESD_CORS_ORIGINS: 'https://lab.example',
    ESD_RATE_LIMITS: 'off',
    // On a busy machine, a request can wait long for its turn.
    ESD_UPSTREAM_WAIT_MS: '2000',
    ESD_LISTEN: '127.0.0.1:0',
    ESD_HTTP_LISTEN: '127.0.0.1:0',
    ESD_SHUTDOWN_SECONDS: '0.1',
    ...env,
  });
}

/** Starts a gateway; `log` contains its log lines. */
export async function startGateway(options: GatewayOptions) {
  const config = gatewayConfig(options);
  const log: string[] = [];
  const lines = new Writable({
    write: (line: Buffer, _encoding, done) => {
      log.push(line.toString());
      done();
    },
  });
  const logger = pino({ level: 'info' }, lines);
  const gateway = await startService(config, logger, logger);
  closing.push(() => gateway.stop());
  const { paths, port, readiness, warnings } = gateway;
  return { url: `http://127.0.0.1:${port}`, port, paths, readiness, warnings, log };
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

export async function get(url: string, init?: RequestInit) {
  const response = await retryingFetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: (): unknown => JSON.parse(text) };
}

/** Sends a POST of JSON; strings and bytes are sent unchanged. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  return get(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: isRaw ? Buffer.from(body) : JSON.stringify(body),
  });
}

/** Sends a text over a new connection, optionally ends it, and returns the response. */
export async function exchange(port: number, text: string, ends: 'and ends' | 'and waits' = 'and waits') {
  const socket = connect(port, '127.0.0.1');
  if (ends === 'and ends') socket.end(text);
  else socket.write(text);
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(Buffer.from(part as Uint8Array));
  return Buffer.concat(parts).toString();
}
