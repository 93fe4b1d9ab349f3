import { readView } from '@esd/pages/explore-view';
import type { Frame, QueryPage } from '@esd/pages/page';
import { MAX_FILTER_LENGTH } from '@esd/record/filter/parse-filter';
import { fileFormats } from '@esd/record/catalog/file-formats';
import { Document } from '../document.tsx';
import { chipsOf } from '../explore/chips.ts';
import { countText, dateText, experimentsText, numberText } from '../format.ts';
import { CitationBox } from '../parts/citation-box.tsx';
import { KnownNames, namesOf } from '../parts/known-names.tsx';
import { MetadataLinks } from '../parts/metadata-links.tsx';
import { Papers } from '../parts/papers.tsx';
import { exploreAddress } from '../parts/search-box.tsx';
import { DiameterAgainst } from '../plots/diameter-against.tsx';

/** `/query/{id}`: a public query in words, with its papers, files, and citation. */
export function Query({ page, frame }: { page: QueryPage; frame: Frame }) {
  const { base } = frame;
  const { cited, filter, sort, fields, once, papers, figure, known } = page;
  const { queryId, recordCount, version, revision, digest, issued } = cited;
  const query = `${base}/public/queries/${queryId}`;
  const state = version ?? 'latest';
  const { length } = JSON.stringify(filter);
  // Explore takes the filter from a URL.
  const isShort = length <= MAX_FILTER_LENGTH;
  return (
    <Document frame={frame} title={cited.title} about={cited} section="explore">
      <div class="wrap">
        <p class="small muted">
          <a href={`${base}/explore`}>Experiments</a> / Query {queryId.slice(0, 8)}
        </p>
        <h1>
          {experimentsText(recordCount, figure?.points.total)} from {countText(papers.total, 'paper')}
        </h1>
        {isShort ? (
          <Conditions filter={filter} known={namesOf(base, known)} />
        ) : (
          <p class="lede">The filter has {numberText(length)} characters. The query itself contains it (see “API”).</p>
        )}
        <p class="small">
          <b class="ok">
            <span aria-hidden="true">✓ </span>Stored on {dateText(issued.toISOString())}.
          </b>{' '}
          <span class="muted">
            The records of this query never change. They come from{' '}
            {version === undefined ? `dataset revision ${revision}` : `release ${version}`}.
            {once && ' Of each group of records that repeat each other, the query has the one with the lowest number.'}
            {sort !== undefined && ` Sorted by ${sort}.`}
            {fields !== undefined && ` Records have only these members: ${fields}.`}
          </span>
        </p>
        {isShort && (
          <p>
            <a
              class="button primary"
              rel="nofollow"
              href={exploreAddress(base, {
                ...filter,
                ...(version === undefined ? {} : { version }),
              })}
            >
              Open in Explore
            </a>{' '}
            <span class="small muted">
              {version === undefined
                ? 'Explore applies the filter to the latest dataset, which may have other records.'
                : `Explore applies the filter to release ${state}.`}
            </span>
          </p>
        )}
        <div class="columns">
          <div>
            <CitationBox
              title="How to cite this query"
              about={cited}
              metadata={`${query}/metadata`}
              note="Please also cite the papers whose data you use."
              papers={`${query}/papers`}
            />
            <DiameterAgainst figure={figure} />
            <KnownNames base={base} known={known}>
              <Papers papers={papers} />
            </KnownNames>
          </div>
          <aside aria-label="Files, digest, and metadata">
            <section>
              <h2>Files</h2>
              <ul class="small">
                {cited.files.map(({ format }) => (
                  <li key={format}>
                    <a href={`${query}/export?format=${format}`}>{fileFormats[format].fileName}</a>
                  </li>
                ))}
              </ul>
            </section>
            <section>
              <h2>Digest</h2>
              <p class="small muted">
                SHA-256 over the hashes of the {numberText(recordCount)} records. Anyone can verify it.
              </p>
              <p>
                <code class="hash">{digest}</code>
              </p>
            </section>
            <MetadataLinks metadata={`${query}/metadata`} />
            <section>
              <h2>API</h2>
              <ul class="small">
                <li>
                  <a href={`${query}/records`}>The records as JSON</a>
                </li>
                <li>
                  <a href={`${query}/papers`}>The papers as JSON</a>
                </li>
              </ul>
              <p class="small">
                The query itself is at <code class="hash">{`/public/queries/${queryId}`}</code>. Browsers are redirected
                to this page.
              </p>
            </section>
          </aside>
        </div>
      </div>
    </Document>
  );
}

/** Characters of a condition that are shown at first. */
const MAX_SHOWN = 400;

function Conditions({ filter, known }: { filter: QueryPage['filter']; known: KnownNames }) {
  const chips = chipsOf(readView(new URLSearchParams(filter)).view, {}, known);
  if (chips.length === 0) return <p class="lede">The query has no filter: it contains every record.</p>;
  return (
    <dl class="facts wide">
      {chips.map(({ key, name, value }) => (
        <div key={key}>
          <dt>{name}</dt>
          <dd>
            {value.length <= MAX_SHOWN ? (
              value
            ) : (
              <details>
                <summary>{`${value.slice(0, MAX_SHOWN)}…`}</summary>
                {value}
              </details>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
