import { FEED_ENTRIES, getRecordFeed, getReleaseFeed } from '@esd/api/feeds';
import type { QueryOf } from '@esd/api/operation';
import { LATEST } from '@esd/api/release-name';
import { filterToWire } from '@esd/dataset-client/filter-wire';
import { pageParameters } from '@esd/pages/api-filter';
import type { ShownRecord } from '@esd/pages/explore-data';
import { readView, viewQuery } from '@esd/pages/explore-view';
import type { Renderer } from '@esd/pages/page';
import type { Release } from '@esd/proto/esd/dataset/v1/releases';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';
import type { Filter } from '@esd/record/filter/filter';
import { filterWords } from '@esd/record/metadata/describe-query';
import { releaseUrl } from '@esd/record/metadata/description';
import { ServiceError } from '@esd/service/errors';
import { type HtmlPages, sendCachedText } from '../cache/html-pages.ts';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import { parseJson } from '../dataset/parse-json.ts';
import type { Releases } from '../dataset/releases.ts';
import type { Call } from '../http/call.ts';
import { givenParameters, readFilter } from '../http/query.ts';
import type { Route } from '../http/route.ts';
import { serve } from '../http/serve.ts';
import { type AtomEntry, ATOM_TYPE, atomFeed } from '../metadata/atom-feed.ts';
import { readKnown } from '../metadata/read-known.ts';
import { ENTRY_FIELDS, recordEntry } from '../metadata/record-entry.ts';
import type { Upstream } from '../upstream/upstream.ts';

type RecordsQuery = QueryOf<typeof getRecordFeed>;

interface Sources {
  renderer: Pick<Renderer, 'titlesOf'>;
  pages: HtmlPages;
  states: DatasetStates;
  releases: Releases;
  dataset: Pick<Upstream['dataset'], 'explore'>;
  /** The metadata of the latest dataset. */
  facts: DatasetFacts;
}

/** Serves the Atom feeds of records and releases. */
export function feedRoutes({ renderer, pages, states, releases, dataset, facts }: Sources): Route[] {
  const readRecords = async (
    { limit, before = Number.MAX_SAFE_INTEGER, record }: RecordsQuery,
    filter: Filter,
    root: string,
    call: Call,
  ) => {
    const { state, recordsJson, publications, nextBefore, ...others } = await dataset.explore(
      {
        version: LATEST,
        revision: undefined,
        atLeast: states.latest(),
        filter: filterToWire(filter),
        questions: [],
        records: { skip: 0, limit, sort: [], fields: ENTRY_FIELDS, before: { revision: before, recordId: record } },
        recordIds: [],
        once: false,
        papers: true,
        names: true,
      },
      call,
    );
    const records = parseJson<ShownRecord[]>(recordsJson);
    if (!state) throw new Error('the dataset has no state');
    const known = readKnown(others);
    const titles = renderer.titlesOf(records, known);
    const entries = publications.flatMap((publication, at): AtomEntry[] => {
      const [record, title] = [records[at], titles[at]];
      return record && title !== undefined ? [recordEntry(record, publication, { title, known, root })] : [];
    });
    return { state, entries, nextBefore };
  };
  return [
    serve(getRecordFeed, {
      handle: async ({ query, request, call }, response) => {
        const { publicRoot: root } = request.exchange;
        const { filter: text, before, record } = query;
        const filter = readFilter(text);
        if (record !== undefined && before === undefined) {
          throw new ServiceError('INVALID_PARAMETER', '`record` requires `before`; add the dataset revision.');
        }
        const make = async (): Promise<string> => {
          const { state, entries, nextBefore: next } = await readRecords(query, filter, root, call);
          return atomFeed({
            url: recordsUrl(root, query),
            page: `${root}/explore${viewQuery(readView(pageParameters(text ?? '{}')).view)}`,
            next: next && recordsUrl(root, { ...query, before: next.revision, record: next.recordId }),
            title: `${facts.title}: records${filterWords(text ?? '{}')}`,
            updated: entries[0]?.updated ?? state.committedAt ?? new Date(0),
            facts,
            license: facts.license,
            entries,
          });
        };
        const address = recordsUrl(root, query);
        await sendCachedText(pages, { mediaType: ATOM_TYPE, make, address }, { request, call }, response);
      },
    }),
    serve(getReleaseFeed, {
      handle: async ({ request, call }, response) => {
        const { publicRoot: root } = request.exchange;
        const make = async (): Promise<string> => {
          const [{ releases: all }, { committedAt }] = await Promise.all([releases.listed(call), states.current(call)]);
          const entries = all.map((release) => releaseEntry(release, root, facts));
          return atomFeed({
            url: `${root}/feeds/releases.atom`,
            page: `${root}/releases`,
            title: `${facts.title}: releases`,
            updated: entries[0]?.updated ?? committedAt ?? new Date(0),
            facts,
            license: facts.license,
            entries,
          });
        };
        await sendCachedText(pages, { mediaType: ATOM_TYPE, make }, { request, call }, response);
      },
    }),
  ];
}

/** Returns the URL of a feed of records: the same for each spelling of the same query. */
function recordsUrl(root: string, { filter, limit, before, record }: RecordsQuery): string {
  const parameters = givenParameters({
    filter,
    limit: limit === FEED_ENTRIES ? undefined : String(limit),
    before: before?.toString(),
    record: record?.toString(),
  });
  const query = new URLSearchParams(parameters).toString();
  return `${root}/feeds/records.atom${query === '' ? '' : `?${query}`}`;
}

function releaseEntry(
  { identifier, state, createdAt, doi, license, description: note }: Release,
  root: string,
  { title, license: ofDataset }: DatasetFacts,
): AtomEntry {
  if (!state || !createdAt) throw new Error(`release ${identifier} is incomplete`);
  const page = releaseUrl(root, identifier);
  const { recordCount } = state;
  const facts = [
    `${recordCount} ${recordCount === 1 ? 'record' : 'records'}`,
    ...(doi === undefined ? [] : [`DOI ${doi}`]),
    `license ${license ?? ofDataset}`,
  ];
  return {
    id: page,
    page,
    title: `${title}, release ${identifier}`,
    updated: createdAt,
    published: createdAt,
    summary: `${facts.join(', ')}.${note === undefined ? '' : ` ${note}`}`,
  };
}
