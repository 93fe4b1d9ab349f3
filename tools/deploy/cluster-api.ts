import { readFileSync } from 'node:fs';
import { member, text } from '@esd/dev-stack/json-value';

export interface ClusterApi {
  /** Root of the API, for example https://10.0.0.1:443. */
  url: string;
  token: string;
  namespace: string;
}

export interface StoredSecret {
  resourceVersion: string;
  values: Map<string, string>;
}

/** The desired state of a Secret. */
export interface DesiredSecret {
  name: string;
  labels: Readonly<Record<string, string>>;
  values: ReadonlyMap<string, string>;
}

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const CALL_MS = 10_000;

/**
 * Returns the API server of this pod's cluster, with the ServiceAccount of the pod. NODE_EXTRA_CA_CERTS must contain its CA.
 * Throws an Error outside a pod, or in a pod without a token.
 */
export function ownCluster(): ClusterApi {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  if (!host || !port) throw new Error('KUBERNETES_SERVICE_HOST is missing. Run this program in a pod.');
  const read = (name: string): string => readFileSync(`${ACCOUNT}/${name}`, 'utf8').trim();
  const address = host.includes(':') ? `[${host}]` : host;
  return { url: `https://${address}:${port}`, token: read('token'), namespace: read('namespace') };
}

/** Reads a Secret, or returns undefined if it does not exist. Throws an Error if the API server refuses or takes longer than 10 s. */
export async function findSecret(api: ClusterApi, name: string): Promise<StoredSecret | undefined> {
  const response = await call(api, 'GET', `/${name}`, { expected: 404 });
  const body: unknown = await response.json();
  if (!response.ok) return undefined;
  const values = Object.entries(member(body, 'data') ?? {}).map(([key, value]): [string, string] => {
    return [key, Buffer.from(text(value), 'base64').toString('utf8')];
  });
  return { resourceVersion: text(member(member(body, 'metadata'), 'resourceVersion')), values: new Map(values) };
}

/**
 * Creates a Secret, or replaces the one that was read. Returns false after a conflicting write; read it again. Throws an Error if the API
 * server refuses or takes longer than 10 s.
 */
export async function putSecret(
  api: ClusterApi,
  wanted: DesiredSecret,
  stored: StoredSecret | undefined,
): Promise<boolean> {
  const { name, labels, values } = wanted;
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, labels, ...(stored === undefined ? {} : { resourceVersion: stored.resourceVersion }) },
    type: 'Opaque',
    stringData: Object.fromEntries(values),
  };
  const request = { body: secret, expected: 409 };
  const response = await (stored === undefined
    ? call(api, 'POST', '', request)
    : call(api, 'PUT', `/${name}`, request));
  await response.body?.cancel();
  return response.ok;
}

async function call(
  api: ClusterApi,
  method: string,
  name: string,
  { body, expected }: { body?: object; expected: number },
): Promise<Response> {
  const path = `/api/v1/namespaces/${api.namespace}/secrets${name}`;
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(CALL_MS),
  });
  if (response.ok || response.status === expected) return response;
  throw new Error(`${method} ${path}: ${response.status} ${(await response.text()).slice(0, 500)}`);
}
