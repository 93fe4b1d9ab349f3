import type { TestStack } from '@esd/testing/stack';
import type { Dataset } from './fill-dataset.ts';

export interface Bench {
  stack: TestStack;
  dataset: Dataset;
  seconds: number;
  /** Number of rounds in which all contenders run. */
  rounds: number;
  /** Returns the processor time of the processes so far, in milliseconds. */
  meter(): Promise<ReadonlyMap<string, number>>;
  seed: number;
}
