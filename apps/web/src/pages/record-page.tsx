import type { Frame, RecordPage } from '@esd/pages/page';
import type { ValuePosition } from '@esd/pages/record-context';
import { citationText } from '@esd/record/metadata/formats/text';
import { exactText } from '@esd/record/filter/exact-text';
import { Document } from '../document.tsx';
import { dateText, experimentsText, rangeText } from '../format.ts';
import { CitationBox } from '../parts/citation-box.tsx';
import { MetadataLinks } from '../parts/metadata-links.tsx';
import { KnownNames, namesOf } from '../parts/known-names.tsx';
import { paperOf, PaperReference } from '../parts/paper-link.tsx';
import { RecordImages } from '../parts/record-images.tsx';
import { exploreAddress } from '../parts/search-box.tsx';
import { lowerText, Strip } from '../plots/strip.tsx';
import { withShortNames } from '../materials.ts';
import {
  type RecordGroup,
  recordGroups,
  recordPageTitle,
  type RecordRow,
  recordTitle,
  unitSystems,
} from '../record-rows.ts';
import { Badge } from '../parts/badge.tsx';
import { NearestExperiments } from './record-nearest.tsx';
import { RecordHistory } from './record-history.tsx';
import { SameSolution } from './record-solution.tsx';

const UNIT_NAMES = { common: 'Common (kV, cm, nm)', published: 'As published', si: 'SI (V, m, K)' } as const;

const WARNINGS: Readonly<Record<string, string>> = {
  RATIO_SUM: 'The component ratios do not add up to 100%.',
  PH_OUT_OF_RANGE: 'The pH is not between 0 and 14.',
  DOI_NOT_WELL_FORMED: 'The paper reference is not a valid DOI.',
};

interface Props {
  page: RecordPage;
  frame: Frame;
}

/** `/record/{id}`: all data of one experiment, its citation, and its context in the dataset. */
export function Record({ page, frame }: Props) {
  const { base, address } = frame;
  const { description, normalized, context, history } = page;
  const record = withShortNames(page.record, namesOf(base, page.known));
  const { recordId, version = 'latest' } = description;
  const data = `${base}/public/dataset/${version}/records/${recordId}`;
  return (
    <Document
      frame={frame}
      title={recordPageTitle(recordId, record, normalized)}
      about={description}
      section="explore"
      script="record"
    >
      <KnownNames base={base} known={page.known}>
        <div class="wrap">
          <Heading page={page} title={recordTitle(record, normalized)} base={base} />
          <div class="columns">
            <div>
              <section class="record-groups" aria-labelledby="values">
                <div class="heading">
                  <h2 id="values">Settings and results</h2>
                  <span>
                    <label for="units">Units</label>
                    <select id="units" autocomplete="off">
                      {unitSystems.map((system) => (
                        <option key={system} value={system}>
                          {UNIT_NAMES[system]}
                        </option>
                      ))}
                    </select>
                  </span>
                </div>
                <p class="tiny">
                  Each small chart shows where a value lies among all distinct experiments that report it. The
                  percentage is the share of experiments with a lower value.
                </p>
                {recordGroups(record, normalized).map((group) => (
                  <Group key={group.name} group={group} positions={context.positions} />
                ))}
              </section>
              <SameSolution context={context} recordId={recordId} base={base} />
              <NearestExperiments page={page} base={base} />
            </div>
            <aside aria-label="Source, citation, and formats">
              <Warnings page={page} base={base} />
              <Source page={page} base={base} />
              <Remarks text={record.researchMetadata?.remarks} />
              <CitationBox title="How to cite this record" about={description} metadata={`${data}/metadata`} />
              <RecordImages images={record.fiberImages ?? []} base={base} />
              <RecordHistory history={history} recordId={recordId} base={base} />
              <MetadataLinks metadata={`${data}/metadata`} />
              <section>
                <h2>API</h2>
                <p>
                  <a href={data}>This record as JSON</a>
                </p>
              </section>
              <section>
                <h2>Is something wrong?</h2>
                <p class="small">
                  <a href={`${base}/feedback?record=${recordId}`}>Report a problem with this record</a>
                </p>
              </section>
            </aside>
          </div>
          <p class="print-only small">
            {address} · {citationText(description).trim()}
          </p>
        </div>
      </KnownNames>
    </Document>
  );
}

function Heading({ page, title, base }: { page: RecordPage; title: string; base: string }) {
  const { description, record, revision, versions, withdrawn } = page;
  const { recordId, version = 'latest', modified } = description;
  return (
    <>
      <p class="small muted">
        <a href={`${base}/explore`}>Experiments</a> / Record {recordId}
        {version !== 'latest' && (
          <>
            {' '}
            in <a href={`${base}/release/${encodeURIComponent(version)}`}>{version}</a>
          </>
        )}
      </p>
      <h1>{title}</h1>
      {withdrawn !== undefined && (
        <p>
          <b class="bad">Withdrawn on {dateText(withdrawn.at)}:</b> {withdrawn.reason} This release still contains the
          record.
        </p>
      )}
      <p class="row small middle">
        <Stability isStable={record.fiberProperty?.isFormationStable} />
        <span class="muted">
          Reviewed on {dateText(modified.toISOString())} by a moderator · revision {revision} ·{' '}
          {versions.length === 0 ? 'not in a release yet' : 'in '}
          {versions.map((identifier, at) => (
            <>
              {at > 0 && ', '}
              <a href={`${base}/release/${encodeURIComponent(identifier)}`}>{identifier}</a>
            </>
          ))}
          {version !== 'latest' && withdrawn === undefined && (
            <>
              {' · '}
              <a href={`${base}/record/${recordId}`}>latest revision</a>
            </>
          )}
        </span>
        <a
          class="button"
          rel="nofollow"
          href={`${exploreAddress(base, {
            tab: 'compare',
            compare: String(recordId),
            ...(version === 'latest' ? {} : { version }),
          })}#compare`}
        >
          Compare
        </a>
      </p>
    </>
  );
}

function Stability({ isStable }: { isStable: boolean | undefined }) {
  if (isStable === undefined) return <span class="muted">Fiber formation not reported.</span>;
  return (
    <Badge of={isStable ? ['ok', '✓', 'Stable fiber formation'] : ['bad', '✕', 'Fiber formation was not stable']} />
  );
}

function Group({ group: { name, rows }, positions }: { group: RecordGroup; positions: readonly ValuePosition[] }) {
  const missing = rows.filter(({ value }) => value === undefined).map((row) => row.name);
  const reported = rows.filter(({ value }) => value !== undefined);
  if (reported.length === 0) {
    return (
      <p class="empty-group">
        <span>{name}</span> <span>not reported</span>
      </p>
    );
  }
  return (
    <>
      <h3>{name}</h3>
      <table class="values">
        <caption class="hidden-text">{name}</caption>
        <colgroup>
          <col class="name" />
          <col />
          <col class="place" />
          <col class="lower" />
        </colgroup>
        <thead class="hidden-text">
          <tr>
            <th scope="col">Quantity</th>
            <th scope="col">Value</th>
            <th scope="col">Position in the dataset</th>
            <th scope="col">Higher than</th>
          </tr>
        </thead>
        <tbody>
          {reported.map((row) => (
            <Row key={row.name} row={row} position={positions.find(({ feature }) => feature === row.feature)} />
          ))}
          {missing.length > 0 && (
            <tr>
              <th scope="row">{inOneLine(missing)}</th>
              <td class="muted" colSpan={3}>
                not reported
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </>
  );
}

function inOneLine(names: readonly string[]): string {
  const small = (name: string): string =>
    /^[A-Z][a-z]+(?!')\b/.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name;
  return names.map((name, at) => (at === 0 ? name : small(name))).join(', ');
}

function Row({ row: { name, value }, position }: { row: RecordRow; position: ValuePosition | undefined }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="value" colSpan={position ? 1 : 3}>
        {value &&
          unitSystems.map((system) => (
            <span key={system} class={`in-${system}`}>
              {value[system].text}
              {value[system].note !== undefined && <small> {value[system].note}</small>}
            </span>
          ))}
      </td>
      {position && (
        <>
          <td class="place">
            <Strip position={position} />
          </td>
          <td class="lower small muted">
            <span class="hidden-text">higher than </span>
            {lowerText(position)}
            {position.count >= 5 && (
              <>
                <br />
                <span class="tiny">of {position.count}</span>
              </>
            )}
          </td>
        </>
      )}
    </tr>
  );
}

const MAX_LISTED = 10;

/** Other results of the same settings. */
function OtherResults({ page: { record, context, description }, base }: { page: RecordPage; base: string }) {
  const { unexplained } = context;
  if (unexplained === null) return null;
  const solvents = record.solventProperty?.solventComponents ?? [];
  const { recordId: shownId } = description;
  const recordIds = [shownId, ...unexplained.records].sort((first, second) => first - second);
  const more = recordIds.length - MAX_LISTED;
  return (
    <p>
      <b>Same settings, other results.</b> Records{' '}
      {recordIds.slice(0, MAX_LISTED).map((recordId, at) => (
        <>
          {at > 0 && (at === recordIds.length - 1 ? ' and ' : ', ')}
          {recordId === shownId ? recordId : <a href={`${base}/record/${recordId}`}>{recordId}</a>}
        </>
      ))}
      {more > 0 && ` and ${more} more`} report the same settings and {rangeText(unexplained.low, unexplained.high)} nm.
      Something that is not recorded differed, or the values scatter or contain an error.
      {solvents.length > 1 &&
        solvents.every(({ volumeRatio }) => volumeRatio === undefined) &&
        ' None of them states the ratio of its solvents.'}
    </p>
  );
}

/** Possible duplicates of the record, other results of its settings, and warnings about its values. */
function Warnings({ page, base }: { page: RecordPage; base: string }) {
  const { repeats, warnings, unexplained } = page.context;
  const texts = warnings.flatMap((code) => WARNINGS[code] ?? []);
  if (repeats.length === 0 && texts.length === 0 && unexplained === null) return null;
  const [first, ...others] = repeats;
  return (
    <section class="note warn" aria-label="Possible problems">
      {first !== undefined && (
        <p>
          <b>Possible duplicate.</b>{' '}
          {[first, ...others].slice(0, 5).map((other, at) => (
            <>
              {at > 0 && ', '}
              <a href={`${base}/record/${other}`}>Record {other}</a>
            </>
          ))}
          {others.length > 4 && ` and ${others.length - 4} more`} {others.length === 0 ? 'is' : 'are'} of the same paper
          and equal in every published value.
        </p>
      )}
      <OtherResults page={page} base={base} />
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </section>
  );
}

function Remarks({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <section>
      <h2>Remarks</h2>
      <p>{text}</p>
    </section>
  );
}

function Source({ page: { record, context }, base }: { page: RecordPage; base: string }) {
  const { doi } = record.researchMetadata ?? {};
  const paper = doi === undefined ? undefined : paperOf(doi);
  return (
    <section>
      <h2>Source</h2>
      {paper === undefined ? (
        <p class="muted">No paper listed.</p>
      ) : (
        <>
          <p>
            <PaperReference doi={paper} hasDoi />
          </p>
          <p class="small muted">
            {context.ofPaper.total > 0 && (
              <>
                <a href={exploreAddress(base, { doi: exactText([paper]) })} rel="nofollow">
                  {experimentsText(context.ofPaper.records, context.ofPaper.total)}
                </a>{' '}
                in this dataset {context.ofPaper.records === 1 ? 'comes' : 'come'} from this paper.{' '}
              </>
            )}
            Cite the paper whenever you use this record.
          </p>
        </>
      )}
    </section>
  );
}
