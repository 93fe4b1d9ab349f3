import type { Nearest } from '@esd/pages/explore-data';
import { countText } from '../format.ts';
import { paperOf, PaperReference } from './paper-link.tsx';
import { numberHeads, ScrollTable } from './scroll-table.tsx';
import { unexplainedText } from './unexplained-text.ts';

interface Props {
  nearest: Nearest;
  /** Writes a range of fiber diameters in nm with its unit. */
  rangeText: (low: number, high: number) => string;
}

/** The range to expect from the papers of the nearest experiments, or `whyNone`. */
export function NearestRange({ nearest, rangeText, whyNone }: Props & { whyNone: string }) {
  const { interval80, paperMedian, byPaper, neighbors } = nearest;
  const contradicted = neighbors.filter(({ unexplained }) => unexplained !== null).length;
  const unexplained = unexplainedText(contradicted, neighbors.length);
  const { papers, median, q25, q75 } = paperMedian;
  const medians = byPaper.flatMap((paper) => paper.median ?? []);
  return (
    <>
      {median !== null && q25 !== null && q75 !== null && (
        <p>
          By paper: the median of {countText(papers, 'median')} is <b>{rangeText(median, median)}</b>
          {papers > 1 && (
            <>
              , with a range of {rangeText(Math.min(...medians), Math.max(...medians))} and quartiles of{' '}
              {rangeText(q25, q75)}
            </>
          )}
          .
        </p>
      )}
      {interval80 === null ? (
        <p class="muted">No range to expect is shown: {whyNone}</p>
      ) : (
        <p>
          <b>{rangeText(interval80.low, interval80.high)}</b>: In other papers’ data, 8 of 10 measured diameters lay
          within this range of what their neighbors suggested.
        </p>
      )}
      {unexplained !== undefined && <p>{unexplained}</p>}
    </>
  );
}

/** Says why there is no range, unless a result in the recipe or in the filter is the reason. */
export function whyNoRange({ reliability, paperMedian }: Nearest): string {
  if (reliability === null) {
    return 'it requires one polymer with diameters from at least three papers, and at least one quantity of the recipe.';
  }
  if (paperMedian.median === null) return 'none of the nearest experiments reports a fiber diameter.';
  return `fewer than five papers report a fiber diameter for ${reliability.polymer}.`;
}

/** The papers of the nearest experiments, with the median and the range of their diameters. */
export function NearestPapers({ nearest, rangeText, id }: Props & { id: string }) {
  const { byPaper, neighbors } = nearest;
  const diametersOf = (doi: string | null): number[] =>
    neighbors
      .filter((neighbor) => (neighbor.doi === null ? null : paperOf(neighbor.doi)) === doi)
      .flatMap(({ fiberDiameter }) => fiberDiameter ?? []);
  return (
    <details>
      <summary id={id}>{countText(byPaper.length, 'paper')} of these experiments</summary>
      <ScrollTable
        labelledBy={id}
        heads={['Paper', ...numberHeads('Experiments', 'Median diameter', 'Range', 'Stable', 'Not stable')]}
      >
        {byPaper.map(({ doi, count, median, stable, unstable }) => {
          const diameters = diametersOf(doi);
          return (
            <tr key={doi}>
              <th scope="row" class="paper">
                {doi === null ? 'no paper given' : <PaperReference doi={doi} />}
              </th>
              <td class="number">{count}</td>
              <td class="number">{median === null ? '–' : rangeText(median, median)}</td>
              <td class="number">
                {diameters.length === 0 ? '–' : rangeText(Math.min(...diameters), Math.max(...diameters))}
              </td>
              <td class="number">{stable}</td>
              <td class="number">{unstable}</td>
            </tr>
          );
        })}
      </ScrollTable>
    </details>
  );
}

const MAX_LISTED = 100;

/** The number of records of a group of repeats; opens to links to the other ones. */
export function RepeatsOf({ repeats = [], base }: { repeats: readonly number[] | undefined; base: string }) {
  if (repeats.length === 0) return null;
  return (
    <details class="repeats">
      <summary>
        ×{repeats.length + 1}
        <span class="hidden-text"> records with equal values, also </span>
      </summary>
      {repeats.slice(0, MAX_LISTED).map((recordId, at) => (
        <>
          {at > 0 && ', '}
          <a href={`${base}/record/${recordId}`}>{recordId}</a>
        </>
      ))}
      {repeats.length > MAX_LISTED && ` and ${repeats.length - MAX_LISTED} more`}
    </details>
  );
}
