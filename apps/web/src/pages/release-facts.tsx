import { isSolventFeature } from '@esd/record/filter/filter-keys';
import type { ReleasePage } from '@esd/pages/page';
import { countText, dateText, numberText } from '../format.ts';
import { keyName, orderedFeatures } from '../names.ts';
import { useKnownNames } from '../parts/known-names.tsx';
import { MetadataLinks } from '../parts/metadata-links.tsx';

const FORMATS = [
  ['schema-org', 'schema.org'],
  ['croissant', 'Croissant'],
  ['datacite-json', 'DataCite JSON'],
  ['datacite-xml', 'DataCite XML'],
  ['ro-crate', 'RO-Crate'],
  ['datapackage', 'Data Package'],
  ['hf-card', 'Hugging Face dataset card'],
] as const;

export function ReleaseFacts({ page, base, metadata }: { page: ReleasePage; base: string; metadata: string }) {
  const { description, papers, counts, digest, releases, usage } = page;
  const { version, recordCount } = description;
  // The properties of solvents come from a table, so records do not report them.
  const reported = orderedFeatures.filter((feature) => !isSolventFeature(feature));
  const filled = reported.filter((feature) => (counts.filled[feature] ?? 0) > 0);
  const empty = reported.filter((feature) => (counts.filled[feature] ?? 0) === 0);
  return (
    <aside aria-label="Facts about this dataset">
      <section>
        <h2>In numbers</h2>
        <dl class="facts">
          <Fact name="Experiments" value={recordCount} />
          {counts.repeats.records > 0 && <Fact name="Distinct experiments" value={counts.distinct} />}
          <Fact name="Papers" value={papers.total} />
          <Fact name="Polymers" value={counts.polymers} />
          <Fact name="Stable fiber formation" value={counts.stable} />
          <Fact name="Not stable" value={counts.unstable} />
        </dl>
      </section>
      <section>
        <h2>Reported values</h2>
        <dl class="facts">
          {filled.map((feature) => (
            <Fact key={feature} name={keyName(feature)} value={counts.filled[feature] ?? 0} />
          ))}
        </dl>
        {empty.length > 0 && <p class="small muted">Not reported by any record: {empty.map(keyName).join(', ')}.</p>}
      </section>
      <UsageNotes page={page} />
      <section>
        <h2>Contributors</h2>
        <p class="small">
          <a href={`${base}/contributors`}>Contributors who chose to be named</a>
        </p>
      </section>
      {digest !== undefined && (
        <section>
          <h2>Digest</h2>
          <p class="small muted">SHA-256 of the canonical JSON of all records. Anyone can verify it.</p>
          <p>
            <code class="hash">{digest}</code>
          </p>
        </section>
      )}
      <MetadataLinks metadata={metadata} formats={FORMATS} />
      <section>
        <h2>Releases</h2>
        <ul class="small">
          {releases.map(({ identifier, frozenAt, records }) => (
            <li key={identifier}>
              {identifier === version ? (
                <b aria-current="page">{identifier}</b>
              ) : (
                <a href={`${base}/release/${encodeURIComponent(identifier)}`}>{identifier}</a>
              )}{' '}
              · {dateText(frozenAt)} · {countText(records, 'experiment')}
            </li>
          ))}
          <li>
            {version === undefined ? <b aria-current="page">latest</b> : <a href={`${base}/release/latest`}>latest</a>}{' '}
            · may change
          </li>
        </ul>
      </section>
      {usage && (
        <section>
          <h2>Usage</h2>
          <p class="small">
            {countText(usage.views, 'view')}, {countText(usage.downloads, 'download')} in the 30 days up to yesterday.
          </p>
          <p class="small muted">
            Downloads are whole files. Requests for parts of a file (range requests) are not counted.
          </p>
        </section>
      )}
    </aside>
  );
}

/** Notes on biases and gaps of the data: dominant polymers, repeats, and missing values. */
function UsageNotes({ page: { counts, papers } }: { page: ReleasePage }) {
  const { substanceOf } = useKnownNames();
  const nameOf = ({ value }: { value: string }): string => substanceOf('polymer', value).shortName;
  const { distinct, mostFrequentPolymer, mostFrequentUnstablePolymer, unstable, filled, repeats } = counts;
  const diameters = filled.fiberDiameter ?? 0;
  const texts = [
    mostFrequentPolymer &&
      `${numberText(mostFrequentPolymer.count)} of ${countText(distinct, repeats.records > 0 ? 'distinct experiment' : 'experiment')} used ${nameOf(mostFrequentPolymer)}.`,
    mostFrequentUnstablePolymer &&
      `${mostFrequentUnstablePolymer.count === unstable ? 'All' : `${numberText(mostFrequentUnstablePolymer.count)} of`} ${countText(unstable, 'failed run')} used ${nameOf(mostFrequentUnstablePolymer)}.`,
    repeats.groups > 0 &&
      `${countText(repeats.records, 'experiment repeats', 'experiments repeat')} an earlier record of the same paper in every published value (${countText(repeats.groups, 'group')}). The other numbers leave them out.`,
    diameters < distinct &&
      `${countText(distinct - diameters, 'experiment reports', 'experiments report')} no fiber diameter.`,
    papers.withoutPaper > 0 && `${countText(papers.withoutPaper, 'experiment names', 'experiments name')} no paper.`,
  ].filter((text) => typeof text === 'string');
  if (distinct === 0) return null;
  return (
    <section>
      <h2>Before you use the data</h2>
      <ul class="small">
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  );
}

function Fact({ name, value }: { name: string; value: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{numberText(value)}</dd>
    </div>
  );
}
