import type { Migrations } from '@esd/service/database/migrate';
import * as dataset from './0001_dataset.ts';
import * as fiberDiameterCount from './0002_fiber_diameter_count.ts';
import * as settingsKey from './0003_settings_key.ts';

export const migrations: Migrations = {
  '0001_dataset': dataset,
  '0002_fiber_diameter_count': fiberDiameterCount,
  '0003_settings_key': settingsKey,
};
