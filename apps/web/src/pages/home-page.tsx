import type { Overview } from '@esd/pages/overview';
import type { Frame, HomePage } from '@esd/pages/page';
import { exactText } from '@esd/record/filter/exact-text';
import { Document } from '../document.tsx';
import { recordFeed, releaseFeed } from '../feeds.ts';
import { countText, dateText, experimentsText, numberText, rounded } from '../format.ts';
import { shareText } from '../names.ts';
import { KnownNames } from '../parts/known-names.tsx';
import { PaperReference } from '../parts/paper-link.tsx';
import { numberHeads, ScrollTable } from '../parts/scroll-table.tsx';
import { exploreAddress, searchAddress, SearchBox } from '../parts/search-box.tsx';
import { DiameterByPolymer } from '../plots/diameter-by-polymer.tsx';
import { Button, LinkButton } from '../parts/buttons.tsx';

const EXAMPLES = [
  ['PVDF', 'PVDF'],
  ['PVA in water', 'PVA in water'],
  ['fibers < 200 nm', 'fibers under 200\u202fnm'],
  ['runs that were not stable', 'runs that were not stable'],
] as const;
const MAX_POLYMERS_NAMED = 2;

interface Props {
  page: HomePage;
  frame: Frame;
}

export function Home({ page, frame }: Props) {
  const { base } = frame;
  const { records, overview, newest, api, hasSecurityContact } = page;
  return (
    <Document frame={frame} title="Electrospinning Dataset" feeds={[recordFeed, releaseFeed]}>
      <div class="wrap">
        <h1>Electrospinning experiments, open and citable</h1>
        <p class="lede">
          Browse process settings, fiber measurements, and failed runs, with links to the source papers.
        </p>
        <div class="hero">
          <div>
            <SearchBox base={base} />
            <p class="small muted">
              Try{' '}
              {EXAMPLES.map(([text, words], at) => (
                <>
                  {at === 0 ? '' : at === EXAMPLES.length - 1 ? ', or ' : ', '}
                  <a href={searchAddress(base, text)} rel="nofollow">
                    {words}
                  </a>
                </>
              ))}
              .
            </p>
          </div>
          {records !== undefined && records > 0 && <Size records={records} overview={overview} />}
        </div>
        {records === 0 && (
          <p class="note">
            No experiments yet. <a href={`${base}/contribute`}>Be the first to contribute.</a>
          </p>
        )}
        <div class="columns ruled">
          <div>
            {overview && overview.byPolymer.length > 0 && <Diameters overview={overview} base={base} />}
            <FirstSteps api={api} version={newest?.identifier} base={base} />
          </div>
          <KnownNames base={base} known={page.known}>
            <Sidebar page={page} base={base} />
          </KnownNames>
        </div>
        {hasSecurityContact && (
          <p class="small muted">
            <a href={`${base}/.well-known/security.txt`}>Report a vulnerability</a>
          </p>
        )}
      </div>
    </Document>
  );
}

function Size({ records, overview }: { records: number; overview: Overview | undefined }) {
  const sizes: (readonly [count: number, one: string, many: string])[] = [];
  if (overview) {
    const { papers, polymers, solventSystems, unstable } = overview;
    sizes.push(
      [papers, 'paper', 'papers'],
      [polymers, 'polymer', 'polymers'],
      [solventSystems, 'solvent system', 'solvent systems'],
      [unstable, 'failed run', 'failed runs'],
    );
  }
  const [count, ...words] = experimentsText(records, overview?.total).split(' ');
  return (
    <ul class="sizes" aria-label="Size of the dataset">
      <li>
        <b>{count}</b> {words.join(' ')}
      </li>
      {sizes.map(([count, one, many]) => (
        <li key={one}>
          <b>{numberText(count)}</b> {count === 1 ? one : many}
        </li>
      ))}
    </ul>
  );
}

function Diameters({ overview, base }: { overview: Overview; base: string }) {
  const { byPolymer, polymers, sampled } = overview;
  const drawn = byPolymer.reduce((sum, { diameters }) => sum + diameters.length, 0);
  const withDiameter = byPolymer.reduce((sum, one) => sum + one.withDiameter, 0);
  const without = byPolymer.reduce((sum, one) => sum + one.records, 0) - withDiameter;
  return (
    <section aria-labelledby="diameters">
      <figure class="figure">
        <figcaption>
          <h2 id="diameters">Fiber diameter by polymer</h2>
          <p class="small muted">
            One dot per {overview.repeats.records > 0 && 'distinct '}experiment (n); the line is the median. The row
            ends with the number of failed runs (×).
            {sampled && ` The plot shows a sample of ${numberText(drawn)} of ${numberText(withDiameter)}.`}
            {without > 0 && ` ${countText(without, 'experiment reports', 'experiments report')} no diameter.`}
            {polymers > byPolymer.length &&
              ` Only the ${byPolymer.length} most frequent of ${numberText(polymers)} polymers are shown.`}
          </p>
        </figcaption>
        <div class="row">
          <span class="switch" role="group" aria-label="Show as">
            <input type="radio" name="show-as" id="as-chart" checked />
            <label for="as-chart">Chart</label>
            <input type="radio" name="show-as" id="as-table" />
            <label for="as-table">Table</label>
          </span>
          <a href={`${base}/explore`}>Open in Explore</a>
        </div>
        <div class="as-chart">
          <DiameterByPolymer polymers={byPolymer} />
        </div>
        <div class="as-table">
          <ScrollTable
            labelledBy="diameters"
            heads={[
              'Polymer',
              ...numberHeads('Experiments', 'With diameter', 'Failed runs'),
              ...['Min', 'Median', 'Max'].map((number) => ({ number, small: 'nm' })),
            ]}
          >
            {byPolymer.map(({ polymer, records, withDiameter: filled, unstable, min, median, max }) => (
              <tr key={polymer}>
                <th scope="row">
                  <a href={exploreAddress(base, { polymer: exactText([polymer]) })} rel="nofollow">
                    {polymer}
                  </a>
                </th>
                <td class="number">{numberText(records)}</td>
                <td class="number">{numberText(filled)}</td>
                <td class="number">{numberText(unstable)}</td>
                <td class="number">{min === null ? '–' : numberText(min)}</td>
                <td class="number">{median === null ? '–' : numberText(rounded(median))}</td>
                <td class="number">{max === null ? '–' : numberText(max)}</td>
              </tr>
            ))}
          </ScrollTable>
        </div>
        <p class="small muted caution">{cautionOf(overview)}</p>
      </figure>
    </section>
  );
}

/** Says what biases the figure: the most frequent polymer, repeats, and the papers that report failed runs. */
function cautionOf({ total, papers, unstable, byPolymer, repeats, failures }: Overview): string {
  const [most] = byPolymer;
  const facts = [
    ...(most
      ? [
          `${shareText(most.records, total)} of all ${repeats.records > 0 ? 'distinct ' : ''}experiments use ${most.polymer}`,
        ]
      : []),
    ...(repeats.records > 0
      ? [`${countText(repeats.records, 'experiment repeats', 'experiments repeat')} an earlier one of the same paper`]
      : []),
  ];
  const [polymer, ...others] = failures.polymers;
  const of = polymer === undefined ? '' : `, ${others.length === 0 ? 'all' : 'most often'} with ${polymer}`;
  const reported =
    unstable === 0
      ? 'No failed run is reported.'
      : `${numberText(failures.papers)} of ${countText(papers, 'paper')} report failed runs${of}.`;
  return `${facts.length === 0 ? '' : `${facts.join('; ')}. `}${reported}`;
}

function FirstSteps({ api, version, base }: { api: string; version: string | undefined; base: string }) {
  const curl = `curl -G ${api}/public/dataset \\\n  --data-urlencode \\\n  'filter={"polymer":"PVDF"}'`;
  const download = version === undefined ? '' : JSON.stringify(version);
  const python = `pip install esd-client\n\nfrom esd_client import Client\nclient = Client("${api}")\ndf = client.download(${download})`;
  return (
    <section aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <div class="steps">
        {(
          [
            ['curl', curl],
            ['Python', python],
          ] as const
        ).map(([name, text]) => (
          <div key={name}>
            <h3>
              {name}
              <LinkButton class="small needs-script" data-copy={`code-${name}`}>
                Copy {name}
              </LinkButton>
            </h3>
            <pre tabIndex={0} id={`code-${name}`} role="group" aria-label={`Example for ${name}`}>
              {text}
            </pre>
          </div>
        ))}
      </div>
      <p class="small muted">
        Reading requires no account. To submit data from a script, <a href={`${base}/account`}>get a token</a>. For
        everything else, see the <a href={`${base}/docs`}>API documentation</a>.
      </p>
    </section>
  );
}

function Sidebar({ page: { overview, newest, citation }, base }: { page: HomePage; base: string }) {
  const additions = overview?.additions ?? [];
  return (
    <aside aria-label="Release, citation, and recent additions">
      <section>
        <h2>Newest release</h2>
        {newest ? (
          <>
            <p>
              <b>
                <a href={`${base}/release/${encodeURIComponent(newest.identifier)}`}>{newest.identifier}</a>
              </b>{' '}
              · {dateText(newest.frozenAt)}
            </p>
            <p class="small muted">{countText(newest.records, 'experiment')}. A release never changes.</p>
          </>
        ) : (
          <p class="small muted">
            No release yet. You can read and download <a href={`${base}/release/latest`}>the latest dataset</a>.
          </p>
        )}
      </section>
      {newest && citation !== undefined && (
        <section class="cite" aria-labelledby="cite">
          <h2 id="cite">How to cite</h2>
          <p id="citation">{citation.trim()}</p>
          <p class="row small">
            <Button class="needs-script" data-copy="citation">
              Copy citation
            </Button>
            <a href={`${base}/release/${encodeURIComponent(newest.identifier)}`}>BibTeX, RIS, CSL</a>
          </p>
        </section>
      )}
      {additions.length > 0 && (
        <section>
          <h2>Recent additions</h2>
          <ul class="small">
            {additions.map(({ day, doi, records, polymers }) => {
              const named =
                polymers.length > 0 && polymers.length <= MAX_POLYMERS_NAMED ? `${polymers.join(', ')} ` : '';
              const what = `${numberText(records)} ${named}${records === 1 ? 'experiment' : 'experiments'}`;
              return (
                <li key={`${day} ${doi ?? ''}`}>
                  <span class="muted nowrap">{dateText(day)}</span> ·{' '}
                  {doi === null ? (
                    `${what} without a paper`
                  ) : (
                    <>
                      <a href={exploreAddress(base, { doi: exactText([doi]) })} rel="nofollow">
                        {what}
                      </a>{' '}
                      <span class="muted">
                        from <PaperReference doi={doi} />
                      </span>
                    </>
                  )}
                </li>
              );
            })}
          </ul>
        </section>
      )}
      <section>
        <h2>Add your data</h2>
        <p class="small">
          Failed runs are as useful as successful ones. Use the form for one experiment, or a spreadsheet for many. You
          need no account.
        </p>
        <p>
          <a class="button" href={`${base}/contribute`}>
            Contribute
          </a>
        </p>
      </section>
    </aside>
  );
}
