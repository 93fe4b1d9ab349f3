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
    .default(2)
    .describe('Number of images that are decoded concurrently.'),
  ESD_UNATTACHED_CLIENT_MB: z.coerce
    .number()
    .positive()
    .default(200)
    .describe(
      'Maximum size of the unattached images that one client can upload per day, in MB of stored PNG. A client is an account, an IPv4 address, or an IPv6 /64; a /48 has eight times this limit.',
    ),
  ESD_UNATTACHED_TOTAL_MB: z.coerce
    .number()
    .positive()
    .default(20_000)
    .describe('Maximum size of all unattached images, in MB of stored PNG; further uploads are refused.'),
};

export type MediaConfig = z.output<z.ZodObject<typeof settings>>;

/** Reads the settings. Throws a SettingsError that names each invalid one. */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): MediaConfig {
  return readConfig(settings, environment);
}
