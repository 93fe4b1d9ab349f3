import { useEffect, useState } from 'preact/hooks';
import type { ExplorePage } from '@esd/pages/explore-page';
import { countsOnce, filterOf, LATEST } from '@esd/pages/explore-view';
import type { DatasetDescription } from '@esd/record/metadata/description';
import { citationText } from '@esd/record/metadata/formats/text';
import { request, RequestError } from '../client/request.ts';
import { moveFocus } from '../client/move-focus.ts';
import { countText } from '../format.ts';
import { papersAddress, PapersFiles } from '../parts/papers-files.tsx';
import { filterWords } from './chips.ts';
import { repeatsText } from './evidence.ts';
import { type Explore, useExplore } from './state.ts';

const FILES = [
  ['csv', 'CSV'],
  ['parquet', 'Parquet'],
  ['json', 'JSON'],
  ['xlsx', 'Excel'],
  ['zip', 'Images (ZIP)'],
] as const;
// Formats that can include the converted values.
const CONVERTED: ReadonlySet<string> = new Set(['csv', 'parquet', 'json', 'xlsx']);

const CITATIONS = [
  ['bibtex', 'BibTeX'],
  ['ris', 'RIS'],
] as const;

export function Downloads() {
  const { base, data, view } = useExplore();
  return (
    <section class="part" id="take" aria-labelledby="take-title">
      <h2 id="take-title">
        Download or cite {data.total === 1 ? 'this experiment' : `these ${countText(data.total, 'experiment')}`}
      </h2>
      <p class="small muted">
        Downloads contain only the experiments that match the filters. Data files include the published and the
        converted values. {repeatsText(view, 'count')}
        {countsOnce(view, 'count') && ' The image file contains the images of all records.'}
      </p>
      <p class="bar">
        {FILES.map(([format, name]) => (
          <a
            key={format}
            class="button"
            rel="nofollow"
            href={`${base}${exportPath(view.version)}?${exportQuery(view, format)}`}
          >
            {name}
          </a>
        ))}
      </p>
      <Citation />
      <Call />
    </section>
  );
}

function exportPath(version: string): string {
  return version === LATEST ? '/public/dataset/export' : `/public/dataset/${encodeURIComponent(version)}/export`;
}

function exportQuery(view: Explore['view'], format: string): string {
  const query = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(filterParameter(view))) query.set(name, value);
  if (view.sort !== '' && format !== 'zip') query.set('sort', view.sort);
  if (CONVERTED.has(format)) query.set('normalized', 'true');
  // Images belong to records, not to groups of them.
  if (countsOnce(view, 'count') && format !== 'zip') query.set('repeats', 'once');
  return query.toString();
}

export function filterParameter(view: Explore['view']): { filter?: string } {
  return view.filter.length === 0 ? {} : { filter: JSON.stringify(filterOf(view)) };
}

interface CitedQuery {
  readonly url: string;
  readonly digest: string | undefined;
  readonly description: DatasetDescription;
}

/** Cites the filtered records. Stores them first as a public query, which has a permanent URL. */
function Citation() {
  const { base, page, view, data } = useExplore();
  const [cited, setCited] = useState<CitedQuery | undefined>(undefined);
  const [stage, setStage] = useState<'idle' | 'creating' | 'failed'>('idle');
  const [problem, setProblem] = useState('');
  const selection = JSON.stringify([view.filter, view.version, view.repeats, data.revision]);
  useEffect(() => {
    // The citation belongs to the previous filter.
    setCited(undefined);
    setStage('idle');
  }, [selection]);
  const create = async (): Promise<void> => {
    setStage('creating');
    try {
      const { body } = await request(`${base}/public/queries`, {
        method: 'POST',
        json: {
          filter: filterOf(view),
          version: view.version,
          ...(countsOnce(view, 'count') && { repeats: 'once' }),
        },
      });
      const query = queryOf(body);
      setCited({ ...query, description: descriptionOf(page, view, query) });
      setStage('idle');
    } catch (error) {
      setProblem(error instanceof RequestError ? error.message : '');
      const address = location.href;
      const fallback = {
        url: address,
        digest: undefined,
        recordCount: data.total,
        revision: data.revision,
        createdAt: new Date(),
      };
      setCited({ ...fallback, description: descriptionOf(page, view, fallback) });
      setStage('failed');
    }
    moveFocus('citation');
  };
  return (
    <div class="cite">
      {cited === undefined ? (
        <>
          <p class="needs-script">
            {stage === 'creating'
              ? 'Creating a permanent link…'
              : 'Create a citation with a permanent link to exactly these records. Later changes to the dataset do not affect it.'}
          </p>
          <p class="without-script">
            A permanent link requires JavaScript. Without it, cite{' '}
            <a href={`${base}/release/${encodeURIComponent(view.version)}`}>
              {view.version === LATEST ? 'the latest dataset' : `release ${view.version}`}
            </a>{' '}
            and state your filter.
          </p>
          <p class="bar needs-script">
            <button class="button primary" type="button" disabled={stage === 'creating'} onClick={() => void create()}>
              Cite these {countText(data.total, 'experiment')}
            </button>
          </p>
        </>
      ) : (
        <div>
          {stage === 'failed' && (
            <p class="error" role="alert">
              The permanent link could not be created. The citation below names{' '}
              {view.version === LATEST ? 'the latest dataset' : view.version} and your filter instead. {problem}
            </p>
          )}
          <p id="citation">{citationText(cited.description).trim()}</p>
          {cited.digest !== undefined && <p class="small muted hash">SHA-256 digest {cited.digest}</p>}
          <p class="bar">
            <button class="button primary" type="button" data-copy="citation">
              Copy citation
            </button>
            {stage === 'failed' ? (
              <button class="button" type="button" onClick={() => void create()}>
                Try again
              </button>
            ) : (
              <>
                {CITATIONS.map(([format, name]) => (
                  <a key={format} class="button" href={`${cited.url}/metadata?format=${format}`}>
                    {name}
                  </a>
                ))}
                <a href={cited.url}>Permanent link</a>
              </>
            )}
          </p>
        </div>
      )}
      {data.total > 0 && (
        <p>
          <PapersFiles
            address={
              cited?.digest === undefined
                ? papersAddress(base, view.version, filterParameter(view))
                : `${cited.url}/papers`
            }
          />
        </p>
      )}
    </div>
  );
}

interface Query {
  readonly url: string;
  readonly digest: string | undefined;
  readonly recordCount: number;
  readonly revision: number;
  readonly createdAt: Date;
}

function queryOf(body: unknown): Query {
  const members = new Map<string, unknown>(typeof body === 'object' && body !== null ? Object.entries(body) : []);
  const text = (name: string): string => {
    const value = members.get(name);
    return typeof value === 'string' ? value : '';
  };
  return {
    url: new URL(text('url'), location.href).href,
    digest: text('digest'),
    recordCount: Number(members.get('recordCount')),
    revision: Number(members.get('datasetRevision')),
    createdAt: new Date(text('createdAt')),
  };
}

function descriptionOf({ facts, api }: ExplorePage, view: Explore['view'], query: Query): DatasetDescription {
  const words = filterWords(view);
  const once = countsOnce(view, 'count') ? ', repeats counted once' : '';
  const part = `subset of ${countText(query.recordCount, 'experiment')}${once}`;
  return {
    kind: 'dataset',
    facts,
    title: words === '' ? facts.title : `${facts.title}, ${part} (${words})`,
    description: facts.description,
    url: query.url,
    root: api,
    license: facts.license,
    issued: query.createdAt,
    papers: [],
    version: view.version === LATEST ? undefined : view.version,
    revision: query.revision,
    recordCount: query.recordCount,
    files: [],
    variables: [],
  };
}

function Call() {
  const { page, view, isLive } = useExplore();
  const [language, setLanguage] = useState<'curl' | 'Python'>('curl');
  const api = isLive ? new URL(page.api === '' ? '/' : page.api, location.href).href.replace(/\/$/, '') : page.api;
  return (
    <>
      <div class="bar spread">
        <h3>API call</h3>
        <span class="bar">
          <span class="switch needs-script" role="group" aria-label="Language">
            {(['curl', 'Python'] as const).map((name) => (
              <button key={name} type="button" aria-pressed={language === name} onClick={() => setLanguage(name)}>
                {name}
              </button>
            ))}
          </span>
          <button class="link small needs-script" type="button" data-copy="call">
            Copy code
          </button>
        </span>
      </div>
      <pre id="call" tabIndex={0}>
        {language === 'curl' ? curlCall(api, view) : pythonCall(api, view)}
      </pre>
      {!isLive && <pre class="without-script">{pythonCall(api, view)}</pre>}
    </>
  );
}

function curlCall(api: string, view: Explore['view']): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return [
    `curl -G ${api}${exportPath(view.version)} -d format=csv`,
    ...(view.filter.length === 0 ? [] : [`--data-urlencode ${quoted(`filter=${JSON.stringify(filterOf(view))}`)}`]),
    ...(view.sort === '' ? [] : [`-d sort=${view.sort}`]),
    ...(countsOnce(view, 'count') ? ['-d repeats=once'] : []),
    '-o experiments.csv',
  ].join(' \\\n  ');
}

function pythonCall(api: string, view: Explore['view']): string {
  // JSON of strings and numbers is valid Python.
  const filter =
    view.filter.length === 0 ? '' : JSON.stringify(filterOf(view)).replaceAll('":', '": ').replaceAll(',"', ', "');
  const parameters = [
    ...(filter === '' ? [] : [filter]),
    ...(view.version === LATEST ? [] : [`version=${JSON.stringify(view.version)}`]),
    ...(countsOnce(view, 'count') ? ['repeats="once"'] : []),
  ].join(', ');
  return `from esd_client import Client\n\nclient = Client(${JSON.stringify(api)})\ndf = client.search(${parameters})`;
}
