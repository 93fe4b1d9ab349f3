import http from 'node:http';
import https from 'node:https';
import { Client } from 'minio';
import { ServiceError } from './errors.ts';
import type { Dependency } from './readiness.ts';

interface ObjectStoreConfig {
  ESD_S3_ENDPOINT: string;
  ESD_S3_ACCESS_KEY: string;
  ESD_S3_SECRET_KEY: string;
  ESD_S3_BUCKET: string;
}

// The store has neither sent nor taken anything for so long.
const SILENT_MS = 10_000;
const SLOW_READER_MS = 60_000;
// What an upload holds in memory: an object of unknown length, or a larger one, goes in such parts.
const PART_BYTES = 8 * 1024 * 1024;

/**
 * The S3 client of a service, by path style, which every S3 server understands. A request on which nothing moves for 10 s
 * fails with UNAVAILABLE; once an answer has begun, 60 s.
 */
export function openObjectStore(config: ObjectStoreConfig): Client {
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
    partSize: PART_BYTES,
    transport: impatient(useSSL ? https : http),
  });
}

/** The client itself waits for ever. */
function impatient({ request }: Pick<typeof http, 'request'>): Pick<typeof http, 'request'> {
  const send = (options: http.RequestOptions, onResponse?: (response: http.IncomingMessage) => void) => {
    const sent = request(options, onResponse);
    sent.setTimeout(SILENT_MS, () => {
      sent.destroy(new ServiceError('UNAVAILABLE', 'The object store does not answer; try again.'));
    });
    // A slow reader of an object lets the connection rest.
    sent.once('response', () => sent.setTimeout(SLOW_READER_MS));
    return sent;
  };
  // Of the forms that it may have, the client uses this one alone.
  return { request: send as typeof http.request };
}

/** Whether the service's bucket can be reached. */
export function objectStoreDependency(client: Client, bucket: string, needed: boolean): Dependency {
  return {
    name: 'object-store',
    needed,
    check: async () => {
      if (!(await client.bucketExists(bucket))) throw new Error(`there is no bucket ${bucket}`);
    },
  };
}
