import { objectStoreSettings, processSettings, readConfig, rpcServerSettings } from '@esd/service/config';

/** Every setting of media-svc. */
export const settings = { ...processSettings, ...rpcServerSettings, ...objectStoreSettings };

export const loadConfig = () => readConfig(settings);
