import { z } from 'zod';
import { datasetFileSettings } from '@esd/dataset-client/dataset-facts';
import {
  databaseSettings,
  httpReplicas,
  natsSettings,
  objectStoreSettings,
  processSettings,
  readConfig,
  rpcServerSettings,
  rpcTarget,
  tempStorageSettings,
} from '@esd/service/config';

/** Every setting of export-svc. */
export const settings = {
  ...processSettings,
  ...rpcServerSettings,
  ...databaseSettings,
  ...natsSettings,
  ...objectStoreSettings,
  ...tempStorageSettings,
  ...datasetFileSettings,
  ESD_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Public URL of the interface, optionally with a path; files name their release by it. The same as that of the gateway.',
    ),
  ESD_DATASET_TARGET: rpcTarget.describe('gRPC target of dataset-svc.'),
  ESD_MEDIA_HTTP: httpReplicas.describe('Internal HTTP ports of the copies of media-svc: base URLs by comma.'),
  ESD_EXPORT_KEEP_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .default(24)
    .describe('How long a built file is kept that nobody asks for; the files of versions stay for ever.'),
  ESD_EXPORT_KEEP_MB: z.coerce
    .number()
    .int()
    .min(0)
    .default(2_000)
    .describe('Most room for built files beside those of versions, in MB; the least recently used go first.'),
};

export type ExportConfig = z.output<z.ZodObject<typeof settings>>;

/** Throws an Error that says which setting is wrong. */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): ExportConfig {
  return readConfig(settings, environment);
}
