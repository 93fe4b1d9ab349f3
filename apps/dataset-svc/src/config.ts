import { databaseSettings, natsSettings, processSettings, readConfig, rpcServerSettings } from '@esd/service/config';

export const settings = { ...processSettings, ...rpcServerSettings, ...databaseSettings, ...natsSettings };

export const loadConfig = () => readConfig(settings);
