import { expect, test } from '@jest/globals';
import { drills } from '../drills/all.ts';

const seed = Math.floor(Math.random() * 2 ** 31);

const DRILL_MS = 600_000;

test.each(drills)(
  'the drill $name passes',
  async ({ name, run }) => {
    const say = (line: string) => process.stdout.write(`${name}: ${line}\n`);
    say(`seed ${seed}`);
    const { counts, failures, skipped } = await run({ seed, whole: false, say });
    say(skipped === undefined ? JSON.stringify(counts) : `skipped, ${skipped}`);
    expect(failures).toEqual([]);
  },
  DRILL_MS,
);
