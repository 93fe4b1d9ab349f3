import { describe } from '@jest/globals';
import { describeDrills } from '../support/drills.ts';
import { startReplicas } from '../support/local-cluster.ts';

describe('two processes of each service', () => {
  describeDrills(startReplicas);
});
