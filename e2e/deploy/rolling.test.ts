import { describe } from '@jest/globals';
import { composeSystem } from './compose-system.ts';
import { services } from '@esd/dev-stack/service-table';
import { clusterOf } from './compose-cluster.ts';
import { describeDrills } from '../support/drills.ts';

describe('two containers of each service', () => {
  describeDrills(async () => {
    const system = await composeSystem();
    try {
      await system.up(Object.fromEntries(services.map(({ name }) => [name, 2])));
      await system.importDemo();
      return { cluster: await clusterOf(system), dataDir: system.dataDir, stop: system.dispose };
    } catch (error) {
      await system.dispose();
      throw error;
    }
  });
});
