import { Client } from 'minio';
import type { Dependency } from './readiness.ts';

interface ObjectStoreConfig {
  ESD_S3_ENDPOINT: string;
  ESD_S3_ACCESS_KEY: string;
  ESD_S3_SECRET_KEY: string;
  ESD_S3_BUCKET: string;
}

/** The S3 client of a service, by path style, which every S3 server understands. */
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
  });
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
