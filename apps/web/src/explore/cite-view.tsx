import { useEffect, useState } from 'preact/hooks';
import { filterOf, LATEST } from '@esd/pages/explore-view';
import type { CitedDataset } from '@esd/pages/explore-data';
import { describeQuery } from '@esd/record/metadata/describe-query';
import type { QueryDescription } from '@esd/record/metadata/description';
import type { ResponseAt } from '@esd/api/operations';
import { call, type Send } from '../client/call.ts';
import { request, RequestError } from '../client/request.ts';
import { countText } from '../format.ts';
import { CitationBox } from '../parts/citation-box.tsx';
import { papersAddress } from '../parts/papers-files.tsx';
import { LinkButton } from '../parts/buttons.tsx';
import { isWholeRelease } from './chips.ts';
import { PlainCitation } from './plain-citation.tsx';
import { useExplore } from './state.ts';

/** The query of a selection, or the reason why it could not be created. Both are absent while the service creates it. */
interface Outcome {
  readonly selection: string;
  readonly query?: QueryDescription;
  readonly problem?: string;
}

/**
 * The citation of the displayed records. It stores them as a public query, which has a permanent URL; a whole release has one.
 * If that fails, it cites the dataset or release with the filter in words.
 */
export function CiteView({ isOpen }: { isOpen: boolean }) {
  const { base, view, data, isLive } = useExplore();
  const { cited, total } = data;
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined);
  const isWhole = isWholeRelease(view);
  const selection = JSON.stringify([view.filter, view.version, data.revision]);
  const create = async (of: CitedDataset): Promise<void> => {
    setOutcome({ selection });
    const filter = filterOf(view);
    try {
      const json = { filter, version: view.version };
      const send: Send = (path, options) => request(`${base}${path}`, options);
      const { body } = await call(send, 'post', '/public/queries', { json, isBackground: true });
      const query = queryDescription(body, JSON.stringify(filter), of);
      setOutcome({ selection, query });
    } catch (error) {
      setOutcome({ selection, problem: error instanceof RequestError ? error.message : '' });
    }
  };
  const { query, problem } = outcome?.selection === selection ? outcome : {};
  useEffect(() => {
    if (isOpen && !isWhole && cited && query === undefined) void create(cited);
    // oxlint-disable-next-line react/exhaustive-deps -- only when a user opens the popover, or the selection changes
  }, [isOpen, selection]);
  if (!cited) return <p>An empty dataset cannot be cited.</p>;
  const dataset = view.version === LATEST ? 'the latest dataset' : `release ${view.version}`;
  if (isWhole) {
    return (
      <>
        <p class="small muted">Release {view.version} never changes.</p>
        <CitationBox
          about={{ ...cited, issued: new Date(cited.issued), papers: [], variables: [] }}
          metadata={`${base}/public/dataset/${encodeURIComponent(view.version)}/metadata`}
          papers={papersAddress(base, view.version)}
        />
      </>
    );
  }
  return (
    <>
      <p class="small without-script">
        A permanent link requires JavaScript. Without it, cite {dataset} and state your filter.
      </p>
      <p class="small needs-script" role="status">
        {query !== undefined && (
          <>
            The <a href={query.url}>permanent link</a> leads to exactly these{' '}
            {countText(query.recordCount, 'experiment')}. Later changes to the dataset do not affect it.
          </>
        )}
        {query === undefined && problem === undefined && 'Creating a permanent link…'}
        {problem !== undefined && (
          <span class="error">
            The permanent link could not be created. The citation names {dataset} and your filter instead. {problem}{' '}
            <LinkButton onClick={() => void create(cited)}>Try again</LinkButton>
          </span>
        )}
      </p>
      {query !== undefined && (
        <CitationBox
          about={query}
          metadata={`${query.url}/metadata`}
          {...(total > 0 && { papers: `${query.url}/papers` })}
        />
      )}
      {(problem !== undefined || !isLive) && <PlainCitation />}
    </>
  );
}

/** Describes a stored query as the gateway does. */
function queryDescription(
  {
    id,
    url,
    version,
    datasetRevision: revision,
    recordCount,
    digest,
    createdAt,
  }: ResponseAt<'post', '/public/queries'>,
  filterJson: string,
  { facts, license, root, url: datasetUrl, doi }: CitedDataset,
): QueryDescription {
  const stored = { version: version === LATEST ? undefined : version, revision, recordCount, digest };
  return {
    kind: 'query',
    facts,
    ...describeQuery(filterJson, { ...stored, once: false }, facts),
    ...stored,
    queryId: id,
    issued: new Date(createdAt),
    root,
    url: new URL(url, location.href).href,
    license,
    papers: [],
    files: [],
    dataset: { url: datasetUrl, doi },
  };
}
