import type { Filter } from '@esd/record/filter/filter';
import { STABILITY } from '../read-index/columns/row-columns.ts';
import { inSlices } from '../read-index/columns/take-turns.ts';
import type { Reading } from '../read-index/read-index.ts';
import { categoryOf } from './categories.ts';
import { intsOf, matchingRows } from './matching-rows.ts';
import { type Repeats, repeats } from './repeats.ts';

/** Counts of the records that match a filter. */
export interface Summary {
  /** Different papers. */
  papers: number;
  /** Records whose fibers formed stably. */
  stable: number;
  unstable: number;
  /** Null where more records match than are compared. */
  repeats: Repeats | null;
}

const STEP = 65_536;

/** Counts papers and stability in one pass, and repeats where at most `maxCompared` records match. */
export async function summary(reading: Reading, filter: Filter, maxCompared: number): Promise<Summary> {
  const { parts } = await matchingRows(reading, filter);
  const doi = await categoryOf(reading, 'doi');
  const takeTurns = inSlices();
  const hasDoi = new Uint8Array(doi.idEnd);
  const byStability = new Uint32Array(Object.keys(STABILITY).length);
  for (const part of parts) {
    const doiOf = intsOf(part, doi.ids);
    const stabilityOf = intsOf(part, (rows) => rows.stability);
    for (let at = 0; at < part.places.length; at += 1) {
      if (at % STEP === 0) await takeTurns();
      hasDoi[doiOf(at)] = 1;
      const stability = stabilityOf(at);
      byStability[stability] = (byStability[stability] ?? 0) + 1;
    }
  }
  const papers = new Set(doi.valuesOfId.flatMap((values, id) => (hasDoi[id] === 1 ? (values ?? []) : [])));
  return {
    papers: papers.size,
    stable: byStability[STABILITY.yes] ?? 0,
    unstable: byStability[STABILITY.no] ?? 0,
    repeats: await repeats(reading, filter, maxCompared),
  };
}
