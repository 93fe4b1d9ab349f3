import { z } from 'zod';
import {
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
  ESD_MEDIA_TARGET: rpcTarget.describe('gRPC target of media-svc, which keeps the images.'),
  ESD_FEEDBACK_IMAGES_MB: count(0)
    .default(1_000)
    .describe(
      'Most room for the images of feedback that is not closed yet, in MB: a sender has a twentieth of it, all without an account a half.',
    ),
  ESD_FEEDBACK_DAILY: count(1)
    .default(50)
    .describe('Most feedback of one sender in 24 hours: an account, else an IPv4 /24 or IPv6 /48.'),
  ESD_ANONYMOUS_PENDING: count(0)
    .default(500)
    .describe('Most records without an account that may await review, of one IPv4 /24 or IPv6 /48.'),
  ESD_ORIGIN_KEY: z
    .string()
    .min(32)
    .optional()
    .describe(
      'Secret. Key of the hashes that stand for networks and senders. Without it each process makes one of its own: it counts for itself, and anew after a start.',
    ),
  ESD_KEEP_REJECTED_DAYS: days(180).describe(
    'Days after which a record that was rejected and had no account loses what it held, its submitter and its images; 0: never.',
  ),
  ESD_KEEP_SUBMITTER_DAYS: days(730).describe(
    'Days after the last decision on a submission without an account for which its submitter is kept, beyond what the list of contributors shows; 0: always.',
  ),
  ESD_KEEP_FEEDBACK_DAYS: days(365).describe('Days for which closed feedback is kept; 0: always.'),
};

export type SubmissionConfig = ReturnType<typeof loadConfig>;

/** Throws an Error that says which setting is wrong. */
export const loadConfig = (environment: NodeJS.ProcessEnv = process.env) => readConfig(settings, environment);
