import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import { fieldsText } from '@esd/record/catalog/chosen-fields';
import { filterKey } from '@esd/record/filter/filter';
import { parseEntityTags, textTag } from '@esd/service/http/entity-tag';
import { sortText } from '@esd/record/filter/sort-keys';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import { pageLinks, pageLinksAfter } from '../http/page-links.ts';
import { type CachedPage, countCached, type PageCache } from '../cache/page-cache.ts';
import { type FirstPart, type PageQuestion, pageReads, recordsQuery } from './page-reads.ts';
import { sendPage } from '../cache/send-page.ts';
import type { Call } from '../http/call.ts';
import { describePart, sendNotModified, stateTag } from '../http/state-tag.ts';
import type { Upstream } from '../upstream/upstream.ts';

export type RecordPages = (question: PageQuestion, request: Request, response: Response, call: Call) => Promise<void>;

/** Sends cached or new pages of records. Reading an uncached page also returns the newest state, which saves a call. */
export function recordPages(
  dataset: Pick<Upstream['dataset'], 'queryRecords'>,
  states: DatasetStates,
  cache: PageCache,
): RecordPages {
  const firstParts = pageReads(dataset, states);
  return async (question, request, response, call) => {
    const { skip, limit, filter, sort = [], normalized = false, fields = [], once = false, after, named } = question;
    const part = [
      after === undefined ? skip : `after-${after}`,
      limit,
      ...(named ? [named.version] : []),
      ...(filter.length > 0 ? [textTag(filterKey(filter))] : []),
      ...(sort.length > 0 ? [textTag(`sort ${sortText(sort)}`)] : []),
      ...(normalized ? ['normalized'] : []),
      ...(once ? ['once'] : []),
      ...(fields.length > 0 ? [textTag(`fields ${fieldsText(fields)}`)] : []),
    ].join('.');
    const clientTags = parseEntityTags(request.headers['if-none-match']);
    const cachedAt = (state: DatasetRevision | undefined): CachedPage | undefined =>
      state && cache.get(stateTag(state, part));
    const begin = (): void => {
      response.set({ 'Cache-Control': named?.cacheControl ?? 'no-cache', Vary: 'Accept-Encoding' });
    };
    const sentNotModified = (state: DatasetRevision): boolean => {
      const isSent = sendNotModified(response, clientTags, state, part);
      if (isSent) countCached('page', 'not_modified');
      return isSent;
    };
    const setLink = ({ total, nextAfter }: Pick<CachedPage, 'total' | 'nextAfter'>): void => {
      const link =
        after === undefined ? pageLinks(request, { skip, limit, total }) : pageLinksAfter(request, limit, nextAfter);
      response.setHeader('Link', link);
    };
    const send = async (state: DatasetRevision, page: CachedPage): Promise<void> => {
      setLink(page);
      await sendPage(cache, { page, state, part, named }, request, response);
    };

    // If the state of a page is known, it is enough to check whether that state is still the newest.
    const stateOfPage = named?.state ?? states.fresh();
    const candidate = stateOfPage ?? clientTags ?? cachedAt(states.latest());
    const newest = stateOfPage ?? (candidate && (await states.current(call)));
    if (newest) {
      begin();
      if (sentNotModified(newest)) return;
      const cached = cachedAt(newest);
      if (cached) {
        countCached('page', 'hit');
        await send(newest, cached);
        return;
      }
    } else {
      begin();
    }
    const first = await firstParts(part, question, newest, call);
    const { state, total, nextAfter } = first;
    if (sentNotModified(state)) return;
    countCached('page', 'miss');
    const [opening, closing] = pageEnvelope({ skip, after, limit, total, version: named?.version ?? 'latest' });
    const due = Math.max(0, Math.min(limit, total - (first.before ?? 0) - skip));
    if (first.recordCount >= due) {
      // The records were validated when they were written, so their bytes are sent unchanged.
      const body = Buffer.concat([opening, first.recordsJson, closing]);
      await send(state, cache.store({ kind: 'page', key: stateTag(state, part), total, nextAfter, body }));
      return;
    }
    describePart(response, state, part, 'identity');
    setLink(first);
    const parts = async function* (): AsyncGenerator<Buffer> {
      yield opening;
      yield first.recordsJson;
      yield* recordsAfter(dataset, question, first, due, call);
      yield closing;
    };
    // If a part fails, the connection is aborted, so that the page never looks complete.
    await pipeline(Readable.from(parts(), { objectMode: false }), response);
  };
}

/** Returns the JSON before and after the records of a page. `after` replaces `skip`. */
function pageEnvelope({ skip, after, limit, total, version }: PageEnvelope): [opening: Buffer, closing: Buffer] {
  const position = after === undefined ? `"skip":${skip}` : `"after":${after}`;
  const closing = `],"total":${total},${position},"limit":${limit},"version":${JSON.stringify(version)}}`;
  return [Buffer.from('{"data":['), Buffer.from(closing)];
}

interface PageEnvelope {
  skip: number;
  after: number | undefined;
  limit: number;
  total: number;
  version: string;
}

/** Reads the records that did not fit the first message, at the state of that message. Each part begins with a comma. */
async function* recordsAfter(
  dataset: Pick<Upstream['dataset'], 'queryRecords'>,
  question: PageQuestion,
  first: FirstPart,
  due: number,
  call: Call,
): AsyncGenerator<Buffer> {
  const { skip, limit } = question;
  for (let done = first.recordCount; done < due;) {
    const left = { skip: skip + done, limit: limit - done, revision: first.state.revision };
    const rest = { ...recordsQuery(question), ...left };
    const { records, recordsJson } = await dataset.queryRecords(rest, call);
    if (records === 0) throw new Error(`a page of ${due} records ended after ${done}`);
    yield Buffer.concat([Buffer.from(','), recordsJson]);
    done += records;
  }
}
