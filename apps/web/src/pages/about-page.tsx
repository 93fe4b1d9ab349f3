import type { AboutPage, Frame } from '@esd/pages/page';
import { exactText } from '@esd/record/filter/exact-text';
import { licenseOf } from '@esd/record/metadata/description';
import { workUrl } from '@esd/record/metadata/dataset-facts';
import { Document } from '../document.tsx';
import { countText, experimentsText, numberText } from '../format.ts';
import { shareText } from '../names.ts';
import { CitationBox } from '../parts/citation-box.tsx';
import { Operator, OperatorSections } from '../parts/operator.tsx';
import { exploreAddress } from '../parts/search-box.tsx';

/** `/about`: the origin of the data, their biases, the license, the citation, and the contact. */
export function About({ page, frame }: { page: AboutPage; frame: Frame }) {
  const { base } = frame;
  const { facts, operator, cited, summary } = page;
  const { total, records } = summary;
  const version = cited.version ?? 'latest';
  const { url: license } = licenseOf(cited);
  return (
    <Document frame={frame} title="About the dataset" summary={facts.description}>
      <div class="wrap">
        <h1>About the {facts.title}</h1>
        <p class="lede lines">{facts.description}</p>
        <div class="columns">
          <div>
            <section aria-labelledby="collected">
              <h2 id="collected">How the data was collected</h2>
              <p class="prose">
                Each record is one experiment, which usually comes from a published paper and names its DOI. The dataset
                has {experimentsText(records, total)} from {countText(summary.papers, 'paper')}. Anyone can contribute
                experiments with <a href={`${base}/contribute`}>a form or a spreadsheet</a>, or through the{' '}
                <a href={`${base}/docs`}>API</a>. Failed runs are welcome.
              </p>
              <p class="prose">
                The service checks names, units, and numbers when a record is sent. It stores each value as published,
                with its unit. The <a href={`${base}/data-dictionary`}>data dictionary</a> describes how values are
                converted for filters and statistics.
              </p>
            </section>
            <section aria-labelledby="reviewed">
              <h2 id="reviewed">Who reviews it</h2>
              <p class="prose">
                A moderator of this service reads each record and approves or rejects it. Only approved records are
                public. Every later change of a record passes the same review, and the page of the record lists its
                revisions. A moderator can withdraw a record; its page then shows the reason. Moderators review what a
                record says; they do not repeat experiments.
              </p>
              <p class="prose">
                Is something wrong? <a href={`${base}/feedback`}>Report it</a>, best from the page of the record.
              </p>
            </section>
            <section aria-labelledby="biased">
              <h2 id="biased">What is biased</h2>
              {total === 0 ? (
                <p>The dataset has no records yet.</p>
              ) : (
                <>
                  <p class="small muted">These numbers are computed from the latest dataset.</p>
                  <Biases page={page} base={base} />
                </>
              )}
            </section>
            <OperatorSections sections={operator.about} />
          </div>
          <aside aria-label="Citation, license, and contact">
            <CitationBox
              title={cited.version === undefined ? 'How to cite' : `How to cite release ${cited.version}`}
              about={cited}
              metadata={`${base}/public/dataset/${version}/metadata`}
              note="Please also cite the papers whose data you use."
            />
            <section>
              <h2 id="license">License</h2>
              <p>
                {license === undefined ? cited.license : <a href={license}>{cited.license}</a>}
                {cited.version !== undefined && (
                  <>
                    {' '}
                    for <a href={`${base}/release/${encodeURIComponent(cited.version)}`}>release {cited.version}</a>
                  </>
                )}
              </p>
              {cited.license !== facts.license && <p>The latest dataset: {facts.license}</p>}
            </section>
            {facts.related.length > 0 && (
              <section>
                <h2>Related works</h2>
                <ul class="small">
                  {facts.related.map((work) => (
                    <li key={work.identifier}>
                      {RELATIONS[work.relation]} <a href={workUrl(work)}>{work.identifier}</a>
                    </li>
                  ))}
                </ul>
              </section>
            )}
            <section>
              <h2 id="contact">Contact</h2>
              <Operator operator={operator} facts={facts} />
              <p class="small">
                <a href={`${base}/feedback`}>Give feedback</a> · <a href={`${base}/privacy`}>Privacy</a>
              </p>
            </section>
          </aside>
        </div>
      </div>
    </Document>
  );
}

const RELATIONS: Readonly<Record<AboutPage['facts']['related'][number]['relation'], string>> = {
  IsDescribedBy: 'The dataset is described by',
  IsDocumentedBy: 'The dataset is documented by',
  IsSupplementTo: 'The dataset is a supplement to',
  IsDerivedFrom: 'The dataset is derived from',
  References: 'The dataset references',
};

function Biases({ page, base }: { page: AboutPage; base: string }) {
  const { summary, mostFrequentPolymer, failures, unreported } = page;
  const { total, stable, repeats } = summary;
  return (
    <ul class="choices prose">
      {mostFrequentPolymer && (
        <li>
          <b>One polymer dominates.</b>{' '}
          <a href={exploreAddress(base, { polymer: exactText([mostFrequentPolymer.value]) })} rel="nofollow">
            {mostFrequentPolymer.value}
          </a>{' '}
          is the most frequent polymer: {numberText(mostFrequentPolymer.count)} of{' '}
          {countText(total, repeats.records > 0 ? 'distinct experiment' : 'experiment')} (
          {shareText(mostFrequentPolymer.count, total)}).
        </li>
      )}
      <li>
        <b>Few papers report failures.</b>{' '}
        {stable.no === 0
          ? 'No experiment is reported as not stable.'
          : `${countText(stable.no, 'experiment is', 'experiments are')} reported as not stable, from ${failures.papers.total} of ${countText(summary.papers, 'paper')}.`}{' '}
        A share of stable runs says what was published, not how often a recipe works.
        <Failures failures={failures} base={base} />
      </li>
      {stable.unknown > 0 && (
        <li>
          <b>The outcome is not always known.</b> {countText(stable.unknown, 'experiment does', 'experiments do')} not
          report whether the fiber formation was stable.
        </li>
      )}
      {repeats.records > 0 && (
        <li>
          <b>Records repeat each other.</b> {countText(repeats.records, 'experiment repeats', 'experiments repeat')} an
          earlier one of the same paper in every published value ({countText(repeats.groups, 'group')}). They are not
          independent measurements, so the other numbers leave them out.
        </li>
      )}
      {unreported.length > 0 && (
        <li>
          <b>Some values are missing entirely.</b> No record reports{' '}
          {unreported.map(({ key, label }, at) => (
            <>
              {at === 0 ? '' : at === unreported.length - 1 ? ' or ' : ', '}
              <a href={`${base}/data-dictionary#${key}`}>{label.startsWith('Young') ? label : label.toLowerCase()}</a>
            </>
          ))}
          .
        </li>
      )}
    </ul>
  );
}

function Failures({ failures: { polymers, papers }, base }: Pick<AboutPage, 'failures'> & { base: string }) {
  if (papers.total + papers.withoutPaper === 0) return null;
  return (
    <>
      {polymers.length > 0 && (
        <p>
          By polymer:{' '}
          {polymers.map(({ value, count }, at) => (
            <>
              {at > 0 && ', '}
              <a href={exploreAddress(base, { polymer: exactText([value]), isFormationStable: 'no' })} rel="nofollow">
                {value} ({numberText(count)})
              </a>
            </>
          ))}
          .
        </p>
      )}
      <details>
        <summary>
          The {papers.data.length < papers.total ? `first ${papers.data.length} of ` : ''}
          {countText(papers.total, 'paper')} with failed runs
        </summary>
        <ul class="small">
          {papers.data.map(({ doi, title = doi, records }) => (
            <li key={doi} class="hash">
              <a href={`${base}/paper/${encodeURIComponent(doi)}`}>{title}</a>, {countText(records, 'failed run')}
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}
