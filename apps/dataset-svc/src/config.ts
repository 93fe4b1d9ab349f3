import { z } from 'zod';
import { datasetFileSettings } from '@esd/dataset-client/dataset-facts';
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
  ESD_DOI_RESOLVER: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'Address that returns the bibliographic facts of a DOI as CSL-JSON, such as https://doi.org. Without it, the service requests no DOI.',
    ),
  ESD_DATASET_FILE: datasetFileSettings.ESD_DATASET_FILE.optional().describe(
    'JSON file with the facts of the dataset. Required with ESD_DOI_RESOLVER, whose requests name the contact.',
  ),
};

export type DatasetConfig = z.output<z.ZodObject<typeof settings>>;

/** Reads the settings. Throws a SettingsError that names each invalid one. */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): DatasetConfig {
  return readConfig(settings, environment);
}
