import { z } from 'zod';
import { ALLOWANCES } from '@esd/api/allowances';
import {
  allowanceSetting,
  databaseSettings,
  natsSettings,
  objectStoreSettings,
  processSettings,
  readConfig,
  rpcServerSettings,
  rpcTarget,
  tempStorageSettings,
} from '@esd/service/config';
import { QUEUES } from '@esd/service/names/queues';

export const settings = {
  ...processSettings,
  ...rpcServerSettings,
  ...databaseSettings,
  ...natsSettings,
  ...objectStoreSettings,
  ...tempStorageSettings,
  ESD_SUBMISSION_TARGET: rpcTarget.describe(
    'gRPC target of submission-svc, which finds the records that contain images.',
  ),
  ESD_IMAGE_WORKERS: z.coerce
    .number()
    .int()
    .min(1)
    .max(16)
    .default(QUEUES.images.concurrency)
    .describe('Number of images that are decoded concurrently.'),
  ESD_UNATTACHED_CLIENT_MB: allowanceSetting(ALLOWANCES.shares.clientUnattached, z.coerce.number().positive()),
  ESD_UNATTACHED_TOTAL_MB: allowanceSetting(ALLOWANCES.shares.unattached, z.coerce.number().positive()),
};

export type MediaConfig = z.output<z.ZodObject<typeof settings>>;

/** Reads the settings. Throws a SettingsError that names each invalid one. */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): MediaConfig {
  return readConfig(settings, environment);
}
