import http from 'node:http';
import https from 'node:https';
import { ServiceError } from '@esd/service/errors';
import { Client } from 'minio';

/** Where the store is and how it is opened. */
export interface S3Config {
  ESD_S3_ENDPOINT: string;
  ESD_S3_ACCESS_KEY: string;
  ESD_S3_SECRET_KEY: string;
}

/** How long the store may be silent, in milliseconds. */
export interface S3Deadlines {
  /** Until an answer begins. */
  answerMs: number;
  /** While bytes are sent, and until the answer to them begins. */
  uploadMs: number;
  /** Once an answer has begun: a slow reader lets the connection rest. */
  idleMs: number;
}

export const DEADLINES: S3Deadlines = { answerMs: 10_000, uploadMs: 20_000, idleMs: 60_000 };

/**
 * The S3 client of a process, by path style, which every S3 server understands. A request on which nothing moves within the
 * deadlines fails with UNAVAILABLE. For what `ObjectStore` does not do.
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
    region: 'us-east-1',
    transport: withDeadlines(useSSL ? https : http, deadlines),
  });
}

/** The client itself waits for ever. */
function withDeadlines(
  { request }: Pick<typeof http, 'request'>,
  deadlines: S3Deadlines,
): Pick<typeof http, 'request'> {
  const send = (options: http.RequestOptions, onResponse?: (response: http.IncomingMessage) => void) => {
    const sent = request(options, onResponse);
    setDeadlines(sent, deadlines.answerMs, deadlines.idleMs);
    return sent;
  };
  // Of the forms that it may have, the client uses this one alone.
  return { request: send as typeof http.request };
}

/** Destroys a request on which nothing moves for `silentMs`, or for `idleMs` once its answer has begun. */
export function setDeadlines(request: http.ClientRequest, silentMs: number, idleMs: number): void {
  request.setTimeout(silentMs, () => {
    request.destroy(new ServiceError('UNAVAILABLE', 'The object store does not answer; try again.'));
  });
  request.once('response', () => request.setTimeout(idleMs));
}
