/** A drill: it breaks parts of a running system on purpose, and counts what its users would have lost. */
export interface Drill {
  name: string;
  /** The condition under which the drill passes, as one sentence. */
  passes: string;
  /** Starts its own system and stops it, also after an error. Counts decide, not times. Throws if the drill itself cannot run. */
  run(context: DrillContext): Promise<DrillResult>;
}

export interface DrillContext {
  /** The seed of every random choice. */
  seed: number;
  /** True for `npm run drills`. False for the part in `npm run test:faults`, which takes at most a minute. */
  whole: boolean;
  /** Prints a line of progress. */
  say(line: string): void;
}

export interface DrillResult {
  /** The numbers of the table in docs/reliability.md by what they count, for example `{ kills: 1000, lost: 0 }`. */
  counts: Record<string, number>;
  /** One line for each violation of the condition. The drill passes without violations. */
  failures: string[];
  /** The reason why this machine cannot run the drill. */
  skipped?: string;
}
