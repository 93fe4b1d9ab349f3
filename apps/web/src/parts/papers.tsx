import type { PaperEntry, Papers as PapersOf } from '@esd/pages/explore-data';
import { countText, numberText, rounded } from '../format.ts';
import { useKnownNames } from './known-names.tsx';
import { PaperReference } from './paper-link.tsx';
import { FoldedTable, restText } from './folded-table.tsx';
import { type Head, numberHeads } from './scroll-table.tsx';

const SHOWN = 12;

const HEADS: readonly Head[] = [
  'Paper',
  'Polymers',
  ...numberHeads('Experiments', 'Not stable'),
  { number: 'Median diameter', small: 'nm' },
];

export function Papers({ papers: { total, withoutPaper, data } }: { papers: PapersOf }) {
  const most = Math.max(1, ...data.map(({ records }) => records));
  return (
    <section aria-labelledby="papers">
      <h2 id="papers">{total === 0 ? 'Papers' : countText(total, 'source paper')}</h2>
      {total === 0 ? (
        <p>No experiment names a paper.</p>
      ) : (
        <FoldedTable
          labelledBy="papers"
          heads={HEADS}
          rows={data.map((paper) => (
            <Row key={paper.doi} paper={paper} most={most} />
          ))}
          shown={SHOWN}
          restText={(count) => restText(count, 'paper', data.length, total)}
        />
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
function Row({ paper, most }: { paper: PaperEntry; most: number }) {
  const { doi, polymers, records, unstable, fiberDiameter } = paper;
  const { substanceOf } = useKnownNames();
  return (
    <tr>
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
  );
}
