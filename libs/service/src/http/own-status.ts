import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { ListenAddress } from '../config.ts';

const ANSWER_MS = 5_000;

export interface InternalPort {
  ESD_HTTP_LISTEN: ListenAddress;
  ESD_TLS_CERT_FILE?: string | undefined;
}

const status = z.looseObject({ dataset: z.looseObject({ held: z.number().optional() }).optional() });

const JOB = /^esd_job_last_success_timestamp_seconds\{job="([^"]+)"\} (\S+)$/gm;

/**
 * Returns the status of the running process that has the same settings, from its internal HTTP port, with the last runs of
 * its periodic jobs. Throws an Error if it does not respond within 5 s.
 */
export async function ownStatus(config: InternalPort): Promise<z.output<typeof status>> {
  const { host = '::', port } = config.ESD_HTTP_LISTEN;
  const loopback = { '0.0.0.0': '127.0.0.1', '::': 'localhost' }[host] ?? host;
  const signal = AbortSignal.timeout(ANSWER_MS);
  // The certificate is not verified, because it does not name the loopback address.
  const options = { host: loopback, port, agent: false, rejectUnauthorized: false, signal };
  const fetchText = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const get = config.ESD_TLS_CERT_FILE === undefined ? httpGet : httpsGet;
      get({ ...options, path }, (response) => {
        text(response).then(resolve, reject);
      }).on('error', reject);
    });
  try {
    const [state, metrics] = await Promise.all([fetchText('/status'), fetchText('/metrics')]);
    const jobs = [...metrics.matchAll(JOB)].map(([, name, seconds]) => ({
      name,
      lastSuccess: new Date(Number(seconds) * 1000),
    }));
    return { ...status.parse(JSON.parse(state)), jobs };
  } catch (cause) {
    throw new Error(`The process does not respond on port ${port}. Read its log.`, { cause });
  }
}
