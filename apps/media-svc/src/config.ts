import { z } from 'zod';
import {
  databaseSettings,
  natsSettings,
  objectStoreSettings,
  processSettings,
  readConfig,
  rpcServerSettings,
  rpcTarget,
  tempStorageSettings,
} from '@esd/service/config';

/** Every setting of media-svc. */
export const settings = {
  ...processSettings,
  ...rpcServerSettings,
  ...databaseSettings,
  ...natsSettings,
  ...objectStoreSettings,
  ...tempStorageSettings,
  ESD_SUBMISSION_TARGET: rpcTarget.describe('gRPC target of submission-svc, which knows what records hold.'),
  ESD_IMAGE_WORKERS: z.coerce
    .number()
    .int()
    .min(1)
    .max(16)
    .default(2)
    .describe('How many images are decoded at the same time.'),
  ESD_UNATTACHED_CLIENT_MB: z.coerce
    .number()
    .positive()
    .default(200)
    .describe(
      'Most unattached images of one client (account, IPv4 address or IPv6 /64; a /48 has eight times as much) and day, in MB of stored PNG.',
    ),
  ESD_UNATTACHED_TOTAL_MB: z.coerce
    .number()
    .positive()
    .default(20_000)
    .describe('Most unattached images in all, in MB of stored PNG; uploads wait beyond it.'),
};

export type MediaConfig = z.output<z.ZodObject<typeof settings>>;

/** Throws an Error that says which setting is wrong. */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): MediaConfig {
  return readConfig(settings, environment);
}
