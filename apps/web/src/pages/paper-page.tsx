import type { ShownRecord } from '@esd/pages/explore-data';
import type { Frame, PaperPage } from '@esd/pages/page';
import type { PaperEntry } from '@esd/pages/explore-data';
import { exactText } from '@esd/record/filter/exact-text';
import { type Feature, features } from '@esd/record/filter/filter-keys';
import { keyFacts } from '@esd/record/metadata/key-facts';
import { paperCitation } from '@esd/record/metadata/formats/text';
import type { SubstanceKey } from '@esd/record/reference/substance-names';
import { Document } from '../document.tsx';
import { countText, experimentsText, numberText, rounded } from '../format.ts';
import { materialsOf } from '../materials.ts';
import { figureText, systemText, withUnit } from '../names.ts';
import { KnownNames, useKnownNames } from '../parts/known-names.tsx';
import { paperAddress } from '../parts/paper-link.tsx';
import { FoldedTable, restText } from '../parts/folded-table.tsx';
import { ScrollTable } from '../parts/scroll-table.tsx';
import { exploreAddress } from '../parts/search-box.tsx';
import { DiameterAgainst } from '../plots/diameter-against.tsx';
import { Button } from '../parts/buttons.tsx';

/** The settings in the table of experiments: as many as fit next to the results. */
const MAX_VARIED = 5;
const SHOWN = 20;

/** `/paper/{doi}`: a paper with its experiments and the settings that it varied. */
export function Paper({ page: { paper, records, total, figure, known }, frame }: { page: PaperPage; frame: Frame }) {
  const { base } = frame;
  const { doi, title, authors = [], year, journal, publisher } = paper;
  const address = paperAddress(doi) ?? paper.url ?? (/^https?:\/\//.test(doi) ? doi : undefined);
  const name = title ?? doi;
  const filter = { doi: exactText([doi]) };
  const citations = `${base}/public/dataset/papers?${new URLSearchParams({ filter: JSON.stringify(filter) }).toString()}`;
  const source = [year, journal, publisher].filter((text) => text !== undefined).join(' · ');
  return (
    <Document
      frame={frame}
      title={name}
      summary={`${countText(total, 'electrospinning experiment')} from “${name}”: settings, fiber diameters, and failed runs.`}
      section="explore"
    >
      <div class="wrap">
        <p class="small muted">
          <a href={`${base}/explore?tab=papers`}>Papers</a> / {doi}
        </p>
        <h1 class="hash">{name}</h1>
        {authors.length > 0 && <p>{authors.map(authorName).join(', ')}</p>}
        {source !== '' && <p class="muted">{source}</p>}
        <p class="small hash">
          {address === undefined ? doi : <a href={address}>{doi}</a>}
          {title === undefined && <span class="muted"> · The title of this paper is not known yet.</span>}
        </p>
        <KnownNames base={base} known={known}>
          <Sizes paper={paper} total={total} />
        </KnownNames>
        <div class="columns">
          <div>
            <DiameterAgainst figure={figure} />
            <KnownNames base={base} known={known}>
              <Design paper={paper} />
              <Experiments paper={paper} records={records} total={total} base={base} />
            </KnownNames>
          </div>
          <aside aria-label="Citation and data">
            <section class="cite" aria-labelledby="cite">
              <h2 id="cite">How to cite</h2>
              <p id="citation" class="hash">
                {paperCitation({ ...paper, authors })}
              </p>
              <p class="row small">
                <Button class="primary needs-script" data-copy="citation">
                  Copy citation
                </Button>
                <a class="button" href={`${citations}&format=bibtex`}>
                  BibTeX
                </a>
                <a class="button" href={`${citations}&format=csl-json`}>
                  CSL-JSON
                </a>
              </p>
              <p class="small muted">
                Please also <a href={`${base}/about#cite`}>cite the dataset</a> if you use its values.
              </p>
            </section>
            <section>
              <h2>Data</h2>
              <ul class="small">
                <li>
                  <a href={exploreAddress(base, filter)}>These experiments in Explore</a>
                </li>
                <li>
                  <a href={`${base}/public/dataset/export?${exportQuery(filter)}`}>Download as CSV</a>
                </li>
                <li>
                  <a href={`${citations}&design=true`}>This paper as JSON</a>
                </li>
              </ul>
            </section>
          </aside>
        </div>
      </div>
    </Document>
  );
}

type Author = NonNullable<PaperEntry['authors']>[number];

function authorName(author: Author): string {
  return 'name' in author ? author.name : [author.given, author.family].filter((text) => text !== undefined).join(' ');
}

function labelOf(key: string): string {
  return keyFacts.find((fact) => fact.key === key)?.label ?? key;
}

function unitOf(key: string): string {
  return features.find(({ feature }) => feature === key)?.unit ?? '1';
}

function exportQuery(filter: object): string {
  return new URLSearchParams({ format: 'csv', normalized: 'true', filter: JSON.stringify(filter) }).toString();
}

interface SizesProps {
  paper: PaperEntry;
  /** The number of all records of the paper. */
  total: number;
}

function Sizes({ paper: { records, stable, unstable, polymers, solvents, fiberDiameter }, total }: SizesProps) {
  const { count, q25, median, q75 } = fiberDiameter;
  const { substanceOf } = useKnownNames();
  const names = (key: SubstanceKey, values: readonly string[]): string =>
    values.map((value) => substanceOf(key, value).shortName).join(', ');
  return (
    <p>
      <b>{experimentsText(total, records)}</b> with {names('polymer', polymers) || 'no polymer reported'}
      {solvents.length > 0 && ` in ${names('solvent', solvents)}`}: {numberText(stable)} stable, {numberText(unstable)}{' '}
      not stable
      {stable + unstable < records && `, ${numberText(records - stable - unstable)} without this value`}.{' '}
      {median === null
        ? 'No fiber diameter is reported.'
        : `Median fiber diameter ${withUnit(numberText(rounded(median)), 'nm')} (n = ${numberText(count)}${q25 === null || q75 === null || count < 4 ? '' : `, quartiles ${numberText(rounded(q25))}–${numberText(rounded(q75))}`}).`}
      {unstable === 0 && ' This paper reports no failed run.'}
    </p>
  );
}

function Design({ paper: { design = [], records } }: { paper: PaperEntry }) {
  const names = useKnownNames();
  return (
    <section aria-labelledby="design">
      <h2 id="design">Design</h2>
      {design.length === 0 ? (
        <p class="muted">The experiments of this paper report no settings.</p>
      ) : (
        <ScrollTable
          labelledBy="design"
          heads={['Setting', { number: 'Reported', small: `of ${numberText(records)}` }, 'Values']}
        >
          {design.map(({ key, reported, distinct, values }) => {
            const texts = values.map((value) =>
              typeof value === 'number'
                ? numberText(rounded(value))
                : key === 'polymer' || key === 'solvent'
                  ? systemText(key, value, names)
                  : value,
            );
            return (
              <tr key={key}>
                <th scope="row">
                  {distinct > 1 ? <b>{labelOf(key)}</b> : labelOf(key)}
                  {distinct > 1 && <small> varied</small>}
                </th>
                <td class="number">{numberText(reported)}</td>
                <td class="prose">
                  {withUnit(texts.join(', '), unitOf(key))}
                  {distinct > values.length && ` and ${numberText(distinct - values.length)} more`}
                </td>
              </tr>
            );
          })}
        </ScrollTable>
      )}
    </section>
  );
}

interface ExperimentsProps extends SizesProps {
  records: readonly ShownRecord[];
  base: string;
}

function Experiments({ paper, records, total, base }: ExperimentsProps) {
  const names = useKnownNames();
  const varied = new Set((paper.design ?? []).flatMap(({ key, distinct }) => (distinct > 1 ? [key] : [])));
  const numbers = features.map(({ feature }) => feature).filter((feature) => varied.has(feature));
  const columns: readonly Feature[] = [...numbers.slice(0, MAX_VARIED), 'fiberDiameter'];
  const [hasPolymer, hasSolvent] = [varied.has('polymer'), varied.has('solvent')];
  const heads = [
    'Record',
    ...(hasPolymer ? ['Polymer'] : []),
    ...(hasSolvent ? ['Solvent'] : []),
    ...columns.map((feature) => ({ number: labelOf(feature), small: unitOf(feature) })),
    'Stable',
  ];
  const rows = records.map((record) => {
    const { polymers, solvents } = materialsOf(record);
    const { isFormationStable } = record.fiberProperty ?? {};
    return (
      <tr key={record.recordId}>
        <th scope="row">
          <a href={`${base}/record/${record.recordId}`}>{record.recordId}</a>
        </th>
        {hasPolymer && <td>{systemText('polymer', polymers, names)}</td>}
        {hasSolvent && <td>{systemText('solvent', solvents, names)}</td>}
        {columns.map((feature) => {
          const value = record.normalized[feature];
          return (
            <td key={feature} class="number">
              {value === undefined ? <span class="muted">not reported</span> : figureText(value)}
            </td>
          );
        })}
        <td>
          {isFormationStable === undefined ? (
            <span class="muted">not reported</span>
          ) : isFormationStable ? (
            'yes'
          ) : (
            <b class="bad">no</b>
          )}
        </td>
      </tr>
    );
  });
  return (
    <section aria-labelledby="experiments">
      <h2 id="experiments">Experiments</h2>
      <FoldedTable
        labelledBy="experiments"
        heads={heads}
        rows={rows}
        shown={SHOWN}
        restText={(count) => restText(count, 'experiment', records.length, total)}
      />
    </section>
  );
}
