import { z } from 'zod';
import { databaseSettings, natsSettings, processSettings, readConfig, rpcServerSettings } from '@esd/service/config';

/** Every setting of dataset-svc. */
export const settings = {
  ...processSettings,
  ...rpcServerSettings,
  ...databaseSettings,
  ...natsSettings,
  ESD_BODIES_MEMORY_MB: z.coerce
    .number()
    .min(0)
    .max(4_000)
    .default(64)
    .describe('Up to this size a copy holds the bodies of all record revisions in memory, beyond it on disk; in MB.'),
  ESD_BODIES_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder in which each process makes one of its own for the bodies of all record revisions, once they are too large for memory; about 1 KB each. Without it they are in the folder for temporary files, and are read from PostgreSQL again at each start.',
    ),
  ESD_BODIES_DISK_MB: z.coerce
    .number()
    .min(0)
    .default(7_500)
    .describe('Most room of these bodies on disk, in MB; those beyond it are read from PostgreSQL.'),
};

export type DatasetConfig = z.output<z.ZodObject<typeof settings>>;

/** Throws an Error that says which setting is wrong. */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): DatasetConfig {
  return readConfig(settings, environment);
}
