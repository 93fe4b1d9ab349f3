import { useState } from 'preact/hooks';
import { type ExploreView, filterOf, LATEST } from '@esd/pages/explore-view';
import { fileFormats } from '@esd/record/catalog/file-formats';
import { bytesText, numberText } from '../format.ts';
import { LinkButton } from '../parts/buttons.tsx';
import { filterParameter, isWholeRelease } from './chips.ts';
import { useExplore } from './state.ts';

const FILES = [
  ['csv', 'CSV'],
  ['xlsx', 'Excel'],
  ['parquet', 'Parquet'],
  ['json', 'JSON'],
  ['zip', 'Images (ZIP)'],
] as const;
type Format = (typeof FILES)[number][0];

/** The files of the displayed records, and the calls that return the same records. */
export function DownloadView() {
  const { base, data, view } = useExplore();
  const { files = [] } = data.cited ?? {};
  const repeats = data.summary?.repeats.records ?? 0;
  const isStored = hasStoredFiles(view);
  return (
    <>
      <p class="small muted">
        {isStored
          ? `These files of release ${view.version} never change. Parquet also contains the converted values.`
          : `Files contain only the experiments that match the filters, with the published and the converted values.`}
        {repeats > 0 &&
          ` Files have all records, also the ${numberText(repeats)} that repeat an earlier one; the API leaves them out with repeats=once.`}
      </p>
      <ul class="row files">
        {FILES.map(([format, name]) => {
          const file = files.find((candidate) => candidate.format === format);
          if (!file) return null;
          return (
            <li key={format}>
              <a class="button" rel="nofollow" href={`${base}${filePath(view, format)}`}>
                {name}
                {isStored && file.stored !== undefined && <small class="muted">{bytesText(file.stored.bytes)}</small>}
              </a>
            </li>
          );
        })}
      </ul>
      <Call />
    </>
  );
}

/** Returns whether the files of a view are those of a release, which are stored in the order of the record numbers. */
function hasStoredFiles(view: ExploreView): boolean {
  return isWholeRelease(view) && view.sort === '';
}

/** Returns the path of a file of the displayed records, below the base. */
function filePath(view: ExploreView, format: Format): string {
  const version = encodeURIComponent(view.version);
  if (hasStoredFiles(view)) return `/files/${version}/${fileFormats[format].fileName}`;
  const query = new URLSearchParams({ format });
  for (const [name, value] of exportParameters(view, format)) query.set(name, value);
  return `${exportPath(view)}?${query.toString()}`;
}

function exportPath({ version }: ExploreView): string {
  return version === LATEST ? '/public/dataset/export' : `/public/dataset/${encodeURIComponent(version)}/export`;
}

/** Returns the parameters of an export in addition to its format. */
function exportParameters(view: ExploreView, format: Format): [name: string, value: string][] {
  // Images have no order.
  const isTable = format !== 'zip';
  return [
    ...Object.entries(filterParameter(view)),
    ...(isTable && view.sort !== '' ? [['sort', view.sort] satisfies [string, string]] : []),
    ...(isTable ? [['normalized', 'true'] satisfies [string, string]] : []),
  ];
}

const LANGUAGES = ['curl', 'Python'] as const;

function Call() {
  const { page, view, isLive } = useExplore();
  const [language, setLanguage] = useState<(typeof LANGUAGES)[number]>('curl');
  const api = isLive ? new URL(page.api === '' ? '/' : page.api, location.href).href.replace(/\/$/, '') : page.api;
  const calls = { curl: curlCall(api, view), Python: pythonCall(api, view) };
  return (
    <section aria-labelledby="code-title">
      <div class="bar spread">
        <h3 id="code-title">Get this with code</h3>
        <span class="bar needs-script">
          <span class="switch" role="group" aria-label="Language">
            {LANGUAGES.map((name) => (
              <button key={name} type="button" aria-pressed={language === name} onClick={() => setLanguage(name)}>
                {name}
              </button>
            ))}
          </span>
          <LinkButton class="small" data-copy="call">
            Copy code
          </LinkButton>
        </span>
      </div>
      <pre id="call" tabIndex={0}>
        {calls[language]}
      </pre>
      {!isLive && (
        <pre class="without-script" tabIndex={0}>
          {calls.Python}
        </pre>
      )}
    </section>
  );
}

function curlCall(api: string, view: ExploreView): string {
  if (hasStoredFiles(view)) return `curl -O ${api}${filePath(view, 'csv')}`;
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return [
    `curl -G ${api}${exportPath(view)} -d format=csv`,
    ...exportParameters(view, 'csv').map(([name, value]) =>
      name === 'filter' ? `--data-urlencode ${quoted(`${name}=${value}`)}` : `-d ${name}=${value}`,
    ),
    '-o experiments.csv',
  ].join(' \\\n  ');
}

function pythonCall(api: string, view: ExploreView): string {
  // JSON of strings and numbers is valid Python.
  const filter =
    view.filter.length === 0 ? '' : JSON.stringify(filterOf(view)).replaceAll('":', '": ').replaceAll(',"', ', "');
  const parameters = [
    ...(filter === '' ? [] : [filter]),
    ...(view.version === LATEST ? [] : [`version=${JSON.stringify(view.version)}`]),
  ].join(', ');
  return `from esd_client import Client\n\nclient = Client(${JSON.stringify(api)})\ndf = client.search(${parameters})`;
}
