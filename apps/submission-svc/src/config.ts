import { z } from 'zod';
import {
  databaseSettings,
  natsSettings,
  processSettings,
  readConfig,
  rpcServerSettings,
  rpcTarget,
} from '@esd/service/config';

export const settings = {
  ...processSettings,
  ...rpcServerSettings,
  ...databaseSettings,
  ...natsSettings,
  ESD_DATASET_TARGET: rpcTarget.describe('gRPC target of dataset-svc, which owns the reference lists.'),
  ESD_MEDIA_TARGET: rpcTarget.describe('gRPC target of media-svc, which keeps the images.'),
  ESD_FEEDBACK_IMAGES_MB: z.coerce
    .number()
    .int()
    .min(0)
    .default(1_000)
    .describe('Most room for the images of feedback that is not closed yet, in MB.'),
};

export const loadConfig = () => readConfig(settings);
