import type { PaperEntry, Papers as PapersOf } from '@esd/pages/explore-data';
import { countText, numberText, rounded } from '../format.ts';
import { useKnownNames } from './known-names.tsx';
import { PaperReference } from './paper-link.tsx';
import { ScrollTable } from './scroll-table.tsx';

const SHOWN = 12;

export function Papers({ papers: { total, withoutPaper, data: rows } }: { papers: PapersOf }) {
  const [first, rest] = [rows.slice(0, SHOWN), rows.slice(SHOWN)];
  const most = Math.max(1, ...rows.map(({ records }) => records));
  return (
    <section aria-labelledby="papers">
      <h2 id="papers">{total === 0 ? 'Papers' : countText(total, 'source paper')}</h2>
      {total === 0 ? (
        <p>No experiment names a paper.</p>
      ) : (
        <ScrollTable labelledBy="papers">
          <Rows rows={first} most={most} />
        </ScrollTable>
      )}
      {rest.length > 0 && (
        <details>
          <summary id="other-papers">
            {rows.length === total
              ? `Show the other ${countText(rest.length, 'paper')}`
              : `Show the next ${countText(rest.length, 'paper')} of ${numberText(total)}`}
          </summary>
          <ScrollTable labelledBy="other-papers">
            <Rows rows={rest} most={most} />
          </ScrollTable>
        </details>
      )}
      {withoutPaper > 0 && (
        <p class="small muted">
          {countText(withoutPaper, 'experiment does not name a paper', 'experiments do not name a paper')}.
        </p>
      )}
    </section>
  );
}

/** `most` is the record count of the paper with the most records. */
function Rows({ rows, most }: { rows: readonly PaperEntry[]; most: number }) {
  const { substanceOf } = useKnownNames();
  return (
    <>
      <thead>
        <tr>
          <th scope="col">Paper</th>
          <th scope="col">Polymers</th>
          <th scope="col" class="number">
            Experiments
          </th>
          <th scope="col" class="number">
            Not stable
          </th>
          <th scope="col" class="number">
            Median diameter <small>nm</small>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ doi, polymers, records, unstable, fiberDiameter }) => (
          <tr key={doi}>
            <th scope="row">
              <PaperReference doi={doi} hasDoi />
            </th>
            <td title={polymers.join(', ')}>
              {[...new Set(polymers.map((value) => substanceOf('polymer', value).shortName))].join(', ')}
            </td>
            <td class="number">
              {numberText(records)}
              <svg class="share" viewBox="0 0 72 8" width="72" height="8" aria-hidden="true">
                <rect width={((72 * records) / most).toFixed(1)} height="8" />
              </svg>
            </td>
            <td class="number">{numberText(unstable)}</td>
            <td class="number nowrap">
              {fiberDiameter.median === null ? (
                <span class="muted">not reported</span>
              ) : (
                numberText(rounded(fiberDiameter.median))
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </>
  );
}
