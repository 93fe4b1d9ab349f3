import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import type { ListenAddress } from '../config.ts';

const ANSWER_MS = 3_000;

export interface InternalPort {
  ESD_HTTP_LISTEN: ListenAddress;
  ESD_TLS_CERT_FILE?: string | undefined;
}

const status = z.looseObject({ dataset: z.looseObject({ held: z.number().optional() }).optional() });

/**
 * Returns the status of the running process that has the same settings, from /status of its internal HTTP port. Throws an
 * Error if it does not respond within 3 s.
 */
export async function ownStatus(config: InternalPort): Promise<z.output<typeof status>> {
  const { host = '0.0.0.0', port } = config.ESD_HTTP_LISTEN;
  const loopback = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  // The certificate is not verified, because it does not name the loopback address.
  const options = { host: loopback, port, path: '/status', agent: false, rejectUnauthorized: false };
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    return status.parse(
      await new Promise((resolve, reject) => {
        const get = config.ESD_TLS_CERT_FILE === undefined ? httpGet : httpsGet;
        get({ ...options, signal }, (response) => json(response).then(resolve, reject)).on('error', reject);
      }),
    );
  } catch (cause) {
    throw new Error(`The process does not respond on port ${port}. Read its log.`, { cause });
  }
}
