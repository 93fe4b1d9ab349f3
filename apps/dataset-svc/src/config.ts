import { z } from 'zod';
import { databaseSettings, natsSettings, processSettings, readConfig, rpcServerSettings } from '@esd/service/config';

export const settings = {
  ...processSettings,
  ...rpcServerSettings,
  ...databaseSettings,
  ...natsSettings,
  ESD_BODIES_MEMORY_MB: z.coerce
    .number()
    .min(1)
    .max(4_000)
    .default(256)
    .describe('Maximum memory for cached record bodies, in MB. Bodies that are not cached are read from PostgreSQL.'),
};

export type DatasetConfig = z.output<z.ZodObject<typeof settings>>;

/** Reads the settings. Throws a SettingsError that names each invalid one. */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): DatasetConfig {
  return readConfig(settings, environment);
}
