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
};

export const loadConfig = () => readConfig(settings);
