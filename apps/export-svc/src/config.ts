import { objectStoreSettings, processSettings, readConfig, rpcServerSettings, rpcTarget } from '@esd/service/config';

/** Every setting of export-svc. */
export const settings = {
  ...processSettings,
  ...rpcServerSettings,
  ...objectStoreSettings,
  ESD_DATASET_TARGET: rpcTarget.describe('gRPC target of dataset-svc.'),
};

export const loadConfig = () => readConfig(settings);
