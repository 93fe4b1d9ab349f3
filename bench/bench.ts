import type { TestStack } from '@esd/testing/stack';
import type { Dataset } from './fill-dataset.ts';

/** What every part of the bench works with. */
export interface Bench {
  stack: TestStack;
  dataset: Dataset;
  /** How long one load runs. */
  seconds: number;
  /** How often contenders take turns. */
  rounds: number;
  /** Processor time that the system's processes have used so far, in milliseconds. */
  meter(): Promise<ReadonlyMap<string, number>>;
  /** Where random choices begin. */
  seed: number;
}
