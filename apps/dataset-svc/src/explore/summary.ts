import type { Filter } from '@esd/record/filter/filter';
import { STABILITY } from '../read-index/columns.ts';
import { countCodes } from '../read-index/distribution.ts';
import { matchingRows, type Reading, repeatGroups } from '../read-index/matching-rows.ts';
import { countRepeats } from '../read-index/repeat-groups.ts';
import { categoryOf, countValues } from './categories.ts';

/** Counts papers, and stable, unstable and repeated records. `repeats` is null if more than `maxCompared` records match. */
export async function summary(reading: Reading, filter: Filter, maxCompared: number) {
  const rows = await matchingRows(reading, filter);
  const doi = await categoryOf(reading, 'doi');
  const papers = countValues(doi, await countCodes(doi.column, rows));
  const stability = await countCodes(reading.columns.stability, rows);
  return {
    papers: papers.filter((count) => count > 0).length,
    stable: stability[STABILITY.yes] ?? 0,
    unstable: stability[STABILITY.no] ?? 0,
    repeats: rows.length > maxCompared ? null : await countRepeats(await repeatGroups(reading), rows),
  };
}
