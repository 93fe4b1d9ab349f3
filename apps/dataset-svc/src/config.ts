import { z } from 'zod';
import { databaseSettings, natsSettings, processSettings, readConfig, rpcServerSettings } from '@esd/service/config';

/** Every setting of dataset-svc. */
export const settings = {
  ...processSettings,
  ...rpcServerSettings,
  ...databaseSettings,
  ...natsSettings,
  ESD_INDEX_MEMORY: z
    .string()
    .regex(/^\d+(MB|GB)$/, { error: 'is not a size such as 512MB or 2GB' })
    .default('1GB')
    .describe('Most memory of the read index; about 250 bytes a record revision.'),
  ESD_INDEX_THREADS: z.coerce.number().int().min(1).default(2).describe('Threads on which the read index searches.'),
};

export type DatasetConfig = z.output<z.ZodObject<typeof settings>>;

/** Throws an Error that says which setting is wrong. */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): DatasetConfig {
  return readConfig(settings, environment);
}
