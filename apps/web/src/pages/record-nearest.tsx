import type { Nearest } from '@esd/pages/explore-data';
import type { RecordPage } from '@esd/pages/page';
import { features } from '@esd/record/filter/filter-keys';
import { countText, numberText, rounded } from '../format.ts';
import { featureWords } from '../names.ts';
import { useKnownNames } from '../parts/known-names.tsx';
import { NearestPapers, NearestRange, RepeatsOf, whyNoRange } from '../parts/nearest-evidence.tsx';
import { paperOf, PaperReference } from '../parts/paper-link.tsx';
import { FoldedTable } from '../parts/folded-table.tsx';
import type { Head } from '../parts/scroll-table.tsx';
import { computed, type Normalized } from '../record-rows.ts';

type Neighbor = Nearest['neighbors'][number];

const SHOWN = 6;
const HEADS: readonly Head[] = [
  'No.',
  { number: 'Difference', small: '0 = same' },
  'Different values',
  'Stable',
  { number: 'Diameter', small: 'nm' },
  'Paper',
];

export function NearestExperiments({ page, base }: { page: RecordPage; base: string }) {
  const { context, normalized, record } = page;
  const { nearest } = context;
  const { doi } = record.researchMetadata ?? {};
  const about = { normalized, doi: doi === undefined ? undefined : paperOf(doi), base };
  return (
    <section aria-labelledby="nearest">
      <h2 id="nearest">Nearest experiments</h2>
      {nearest === null || nearest.neighbors.length === 0 ? (
        <p class="muted">
          {nearest === null
            ? 'This record reports no settings to compare.'
            : 'There is no other experiment with this polymer.'}
        </p>
      ) : (
        <>
          <p class="small">
            <Sentence nearest={nearest} />
          </p>
          <div class="small">
            <NearestRange nearest={nearest} rangeText={rangeText} whyNone={whyNoRange(nearest)} />
            <NearestPapers nearest={nearest} rangeText={rangeText} id="nearest-papers" />
          </div>
          <FoldedTable
            labelledBy="nearest"
            heads={HEADS}
            rows={nearest.neighbors.map((neighbor) => (
              <Row key={neighbor.recordId} neighbor={neighbor} about={about} />
            ))}
            shown={SHOWN}
            restText={(count) => `Show the other ${count}`}
          />
        </>
      )}
    </section>
  );
}

const rangeText = (low: number, high: number): string =>
  low === high ? computed(low, 'nm') : `${numberText(rounded(low))}–${computed(high, 'nm')}`;

function Sentence({ nearest }: { nearest: NonNullable<RecordPage['context']['nearest']> }) {
  const { total, records, neighbors, stable, fiberDiameter, reliability } = nearest;
  const { count, q25, median, q75 } = fiberDiameter;
  const error = reliability?.medianAbsoluteLogError ?? null;
  const { substanceOf } = useKnownNames();
  const polymer = reliability ? substanceOf('polymer', reliability.polymer).shortName : 'this polymer';
  return (
    <>
      Of {countText(total, total < records ? 'other distinct experiment' : 'other experiment')} with {polymer}, the
      table shows the {numberText(neighbors.length)} nearest: {stable.yes} stable
      {stable.no > 0 && `, ${stable.no} not stable`}
      {median !== null && (
        <>
          , median diameter <b>{computed(median, 'nm')}</b>
          {q25 !== null &&
            q75 !== null &&
            count >= 4 &&
            `, interquartile range ${numberText(rounded(q25))}–${computed(q75, 'nm')}`}
        </>
      )}
      . These are reported results of other experiments.
      {error !== null && (
        <>
          {' '}
          For {polymer}, the median of the nearest records from other papers is typically off by a factor of{' '}
          {Number(Math.exp(error).toPrecision(2))}.
        </>
      )}
    </>
  );
}

interface About {
  normalized: Normalized;
  doi: string | undefined;
  base: string;
}

function Row({ neighbor, about }: { neighbor: Neighbor; about: About }) {
  const { base, doi: ownDoi } = about;
  const { recordId, distance, isFormationStable, fiberDiameter, repeats } = neighbor;
  const doi = neighbor.doi === null ? undefined : paperOf(neighbor.doi);
  return (
    <tr>
      <th scope="row">
        <a href={`${base}/record/${recordId}`}>{recordId}</a>
        <RepeatsOf repeats={repeats} base={base} />
      </th>
      <td class="number">{distance.toFixed(2)}</td>
      <td>
        <Differences neighbor={neighbor} normalized={about.normalized} />
      </td>
      <td>{isFormationStable === null ? 'not reported' : isFormationStable ? 'yes' : 'no'}</td>
      <td class="number">{fiberDiameter === null ? 'not reported' : numberText(fiberDiameter)}</td>
      <td class="paper">
        {doi === undefined ? (
          <span class="muted">none</span>
        ) : doi === ownDoi ? (
          'same paper'
        ) : (
          <PaperReference doi={doi} />
        )}
      </td>
    </tr>
  );
}

function Differences({ neighbor: { parts }, normalized }: { neighbor: Neighbor; normalized: Normalized }) {
  const { substanceOf } = useKnownNames();
  const differs: string[] = [];
  const unknown: string[] = [];
  for (const [key, { value, distance, missing }] of Object.entries(parts)) {
    const keys = features.find(({ feature }) => feature === key);
    const name = keys ? featureWords(keys.feature) : `${key}s`;
    if (missing) unknown.push(name);
    else if (Array.isArray(value)) {
      const substance = key === 'polymer' ? key : 'solvent';
      const names = value.map((member) => substanceOf(substance, member).shortName);
      if (distance > 0) differs.push(`${name} ${names.join('–')}`);
    } else if (keys && typeof value === 'number' && value !== normalized[keys.feature]) {
      differs.push(`${name} ${computed(value, keys.unit)}`);
    }
  }
  return (
    <>
      {differs.length === 0 ? 'none' : differs.join(', ')}
      {unknown.length > 0 && <span class="muted"> · not reported: {unknown.join(', ')}</span>}
    </>
  );
}
