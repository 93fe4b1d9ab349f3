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
      'Root URL of the public interface, optionally with a path. Links in files begin with it. It must equal the setting of the gateway.',
    ),
  ESD_DATASET_TARGET: rpcTarget.describe('gRPC target of dataset-svc.'),
  ESD_MEDIA_HTTP: httpReplicas.describe(
    'Base URLs of the internal HTTP ports of all replicas of media-svc, comma-separated.',
  ),
  ESD_EXPORT_KEEP_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .default(24)
    .describe('Hours after which an unused built file is deleted. Files of releases are never deleted.'),
  ESD_EXPORT_KEEP_MB: z.coerce
    .number()
    .int()
    .min(0)
    .default(2_000)
    .describe(
      'Maximum storage for built files, in MB, without files of releases. The least recently used files are deleted first.',
    ),
};

export type ExportConfig = z.output<z.ZodObject<typeof settings>>;

/** Reads the settings. Throws a SettingsError that names each invalid one. */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): ExportConfig {
  return readConfig(settings, environment);
}
