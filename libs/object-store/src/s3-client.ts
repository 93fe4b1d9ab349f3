import http from 'node:http';
import https from 'node:https';
import { ServiceError } from '@esd/service/errors';
import { Client } from 'minio';

export interface S3Config {
  ESD_S3_ENDPOINT: string;
  ESD_S3_ACCESS_KEY: string;
  ESD_S3_SECRET_KEY: string;
  ESD_S3_SESSION_TOKEN?: string | undefined;
  ESD_S3_REGION?: string | undefined;
}

export const DEFAULT_REGION = 'us-east-1';

/** Inactivity timeouts, in milliseconds. */
export interface S3Deadlines {
  /** Before a response begins. */
  responseMs: number;
  /** During an upload, and before its response begins. */
  uploadMs: number;
  /** After a response has begun; allows for slow readers. */
  idleMs: number;
}

export const DEADLINES: S3Deadlines = { responseMs: 10_000, uploadMs: 20_000, idleMs: 60_000 };

/**
 * Creates an S3 client for operations that `ObjectStore` lacks. Uses path-style URLs, which every S3 server supports.
 * Requests that exceed the deadlines fail with UNAVAILABLE.
 */
export function openS3Client(config: S3Config, deadlines: S3Deadlines = DEADLINES): Client {
  const url = new URL(config.ESD_S3_ENDPOINT);
  const useSSL = url.protocol === 'https:';
  return new Client({
    endPoint: url.hostname,
    port: url.port === '' ? (useSSL ? 443 : 80) : Number(url.port),
    useSSL,
    accessKey: config.ESD_S3_ACCESS_KEY,
    secretKey: config.ESD_S3_SECRET_KEY,
    pathStyle: true,
    region: config.ESD_S3_REGION ?? DEFAULT_REGION,
    ...(config.ESD_S3_SESSION_TOKEN === undefined ? {} : { sessionToken: config.ESD_S3_SESSION_TOKEN }),
    transport: withDeadlines(useSSL ? https : http, deadlines),
  });
}

/** Adds timeouts, which the client lacks. */
function withDeadlines(
  { request }: Pick<typeof http, 'request'>,
  deadlines: S3Deadlines,
): Pick<typeof http, 'request'> {
  const send = (options: http.RequestOptions, onResponse?: (response: http.IncomingMessage) => void) => {
    const sent = request(options, onResponse);
    setDeadlines(sent, deadlines.responseMs, deadlines.idleMs);
    return sent;
  };
  // Safe cast: the client uses only this overload.
  return { request: send as typeof http.request };
}

/** Destroys a request that is inactive for `inactiveMs`, or for `idleMs` after its response has begun. */
export function setDeadlines(request: http.ClientRequest, inactiveMs: number, idleMs: number): void {
  request.setTimeout(inactiveMs, () => {
    request.destroy(new ServiceError('UNAVAILABLE', 'The object store does not respond; try again.'));
  });
  request.once('response', () => request.setTimeout(idleMs));
}
