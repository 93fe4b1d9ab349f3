import { z } from 'zod';
import { ALLOWANCES } from '@esd/api/allowances';
import {
  allowanceSetting,
  databaseSettings,
  natsSettings,
  processSettings,
  readConfig,
  rpcServerSettings,
  rpcTarget,
} from '@esd/service/config';

const count = (min: number) => z.coerce.number().int().min(min);
const days = (byDefault: number) => count(0).max(36_500).default(byDefault);

export const settings = {
  ...processSettings,
  ...rpcServerSettings,
  ...databaseSettings,
  ...natsSettings,
  ESD_DATASET_TARGET: rpcTarget.describe('gRPC target of dataset-svc, which owns the reference lists.'),
  ESD_MEDIA_TARGET: rpcTarget.describe('gRPC target of media-svc, which stores the images.'),
  ESD_FEEDBACK_IMAGES_MB: allowanceSetting(ALLOWANCES.anonymous.images, count(0)),
  ESD_FEEDBACK_DAILY: allowanceSetting(ALLOWANCES.anonymous.feedback, count(1)),
  ESD_ANONYMOUS_PENDING: allowanceSetting(ALLOWANCES.anonymous.pending, count(0)),
  ESD_ORIGIN_KEY: z
    .string()
    .min(32)
    .optional()
    .describe(
      'Secret. Key of the hashes that represent networks and senders. Without it, each process generates its own key, so limits apply per process and reset at each start.',
    ),
  ESD_KEEP_REJECTED_DAYS: days(180).describe(
    'Days after which the data, submitter, and images of a rejected record without an account are erased; 0: never.',
  ),
  ESD_KEEP_SUBMITTER_DAYS: days(730).describe(
    'Days from the last decision on a submission without an account to the erasure of its submitter. The fields in the list of contributors remain. 0: never.',
  ),
  ESD_KEEP_FEEDBACK_DAYS: days(365).describe('Days after which closed feedback is deleted; 0: never.'),
};

export type SubmissionConfig = ReturnType<typeof loadConfig>;

/** Reads the settings. Throws a SettingsError that names each invalid one. */
export const loadConfig = (environment: NodeJS.ProcessEnv = process.env) => readConfig(settings, environment);
