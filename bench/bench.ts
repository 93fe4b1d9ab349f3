import type { TestStack } from '@esd/testing/stack';
import type { Dataset } from './fill-dataset.ts';

/** The context of every part of the benchmark. */
export interface Bench {
  stack: TestStack;
  dataset: Dataset;
  /** Duration of one load. */
  seconds: number;
  /** Number of rounds in which all contenders run. */
  rounds: number;
  /** Returns the processor time of the processes so far, in milliseconds. */
  meter(): Promise<ReadonlyMap<string, number>>;
  seed: number;
}
