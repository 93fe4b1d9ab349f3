import fc from 'fast-check';
import { propertyRuns } from './property-runs.ts';

fc.configureGlobal({ numRuns: propertyRuns });
