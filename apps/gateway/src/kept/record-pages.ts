import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import { type Filter, filterKey } from '@esd/record/filter/filter';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/http/entity-tag';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import type { FixedState } from '../dataset/fixed-state.ts';
import { linkHeader } from '../http/link-header.ts';
import { selfUrl } from '../http/public-url.ts';
import { encodedBody, type Encoding, openPageCache } from './page-cache.ts';
import type { Call } from '../http/call.ts';
import { stateTag } from '../dataset/state-tag.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** Which page, and of which state. */
export interface PageQuestion {
  skip: number;
  limit: number;
  filter: Filter;
  /** The filter as it was sent. */
  filterText: string | undefined;
  /** Absent: the newest state. */
  fixed?: FixedState;
}

/** Answers a page of records. */
export type RecordPages = (question: PageQuestion, request: Request, response: Response, call: Call) => Promise<void>;

interface FirstPart {
  state: DatasetRevision;
  total: number;
  records: number;
  recordsJson: Buffer;
}

// A smaller body would hardly shrink.
const LEAST_COMPRESSED = 1_024;
const TYPE = 'application/json; charset=utf-8';

/**
 * Makes the pages of the dataset. A page is a pure function of state, filter and place, so that one that was made is kept,
 * up to `cacheBytes` in all, and a reader who holds it gets 304. Which state is the newest is asked of dataset-svc.
 */
export function recordPages(
  dataset: Pick<Upstream['dataset'], 'queryRecords'>,
  states: DatasetStates,
  cacheBytes: number,
): RecordPages {
  const cache = openPageCache(cacheBytes);
  const asking = new Map<string, Promise<FirstPart>>();
  const firstPart = (key: string, question: PageQuestion, state: DatasetRevision, call: Call): Promise<FirstPart> => {
    const running = asking.get(key);
    if (running) return running;
    const { skip, limit, filter, filterText, fixed } = question;
    const filterJson = filter.length > 0 ? filterText : undefined;
    // Others may wait for this answer too: it must not end because the one who asked first has gone.
    const { requestId, deadline } = call;
    const made = dataset
      .queryRecords(
        {
          skip,
          limit,
          filterJson,
          revision: fixed && state.revision,
          atLeast: fixed ? undefined : state,
          snapshotId: fixed?.snapshotId,
        },
        { requestId, deadline },
      )
      .then(({ state: found, total, records, recordsJson }) => {
        if (found && !fixed) states.saw(found);
        return { state: found ?? state, total, records, recordsJson };
      })
      .finally(() => asking.delete(key));
    asking.set(key, made);
    return made;
  };

  return async (question, request, response, call) => {
    const { skip, limit, filter, filterText, fixed } = question;
    const part = [
      skip,
      limit,
      ...(fixed ? [fixed.version] : []),
      ...(filter.length > 0 ? [textTag(filterKey(filter))] : []),
    ].join('.');
    const held = parseEntityTags(request.headers['if-none-match']);
    const wanted = fixed?.state ?? (await states.current(call));
    response.set({ 'Cache-Control': fixed?.cacheControl ?? 'no-cache', Vary: 'Accept-Encoding' });
    const isHeld = (state: DatasetRevision): string | undefined =>
      ENCODINGS.map((encoding) => tagOf(state, part, encoding)).find((tag) => matchesEntityTag(held, tag));
    const heldTag = isHeld(wanted);
    if (heldTag !== undefined) {
      response.set('ETag', `"${heldTag}"`).status(304).end();
      return;
    }
    const parameters = filterText === undefined || fixed?.snapshotId !== undefined ? {} : { filter: filterText };
    const send = async (
      state: DatasetRevision,
      total: number,
      body: (encoding: Encoding) => Buffer | Promise<Buffer>,
    ) => {
      const identity = await body('identity');
      const encoding = identity.length < LEAST_COMPRESSED ? 'identity' : chosenEncoding(request);
      response.set({ ETag: `"${tagOf(state, part, encoding)}"`, 'Content-Type': TYPE });
      response.set('Link', linkHeader(selfUrl(request), { skip, limit, total, parameters }));
      if (encoding !== 'identity') response.set('Content-Encoding', encoding);
      response.send(await body(encoding));
    };

    const key = stateTag(wanted, part);
    const kept = cache.get(key);
    if (kept) return send(wanted, kept.total, (encoding) => encodedBody(kept, encoding));

    const first = await firstPart(key, question, wanted, call);
    const { state, total } = first;
    const opening = Buffer.from('{"data":[');
    const closing = Buffer.from(
      `],"total":${total},"skip":${skip},"limit":${limit},"version":${JSON.stringify(fixed?.version ?? 'latest')}}`,
    );
    const due = Math.max(0, Math.min(limit, total - skip));
    if (first.records >= due) {
      // The records were checked when they were written: their bytes go out as they are.
      const made = cache.keep(stateTag(state, part), total, Buffer.concat([opening, first.recordsJson, closing]));
      return send(state, total, (encoding) => encodedBody(made, encoding));
    }
    response.set({ ETag: `"${tagOf(state, part, 'identity')}"`, 'Content-Type': TYPE });
    response.set('Link', linkHeader(selfUrl(request), { skip, limit, total, parameters }));
    const parts = async function* (): AsyncGenerator<Buffer> {
      yield opening;
      yield first.recordsJson;
      yield* recordsAfter(dataset, question, first, due, call);
      yield closing;
    };
    // When a part fails the connection is cut, so that the page never looks whole.
    await pipeline(Readable.from(parts(), { objectMode: false }), response);
  };
}

const ENCODINGS: readonly Encoding[] = ['identity', 'br', 'gzip'];

/** The strong tag of one page in one encoding: other bytes, another tag (RFC 9110 §8.8.3.3). */
function tagOf(state: DatasetRevision, part: string, encoding: Encoding): string {
  const tag = stateTag(state, part);
  return encoding === 'identity' ? tag : `${tag}.${encoding}`;
}

function chosenEncoding(request: Request): Encoding {
  const accepted = request.acceptsEncodings('br', 'gzip', 'identity');
  return accepted === 'br' || accepted === 'gzip' ? accepted : 'identity';
}

/** The records of a page that did not fit the first message, at the state of that message, each part with its comma. */
async function* recordsAfter(
  dataset: Pick<Upstream['dataset'], 'queryRecords'>,
  { skip, limit, filter, filterText, fixed }: PageQuestion,
  first: FirstPart,
  due: number,
  call: Call,
): AsyncGenerator<Buffer> {
  const filterJson = filter.length > 0 ? filterText : undefined;
  for (let done = first.records; done < due;) {
    const rest = {
      skip: skip + done,
      limit: limit - done,
      filterJson,
      revision: first.state.revision,
      atLeast: undefined,
      snapshotId: fixed?.snapshotId,
    };
    const { records, recordsJson } = await dataset.queryRecords(rest, call);
    if (records === 0) throw new Error(`a page of ${due} records ended after ${done}`);
    yield Buffer.concat([Buffer.from(','), recordsJson]);
    done += records;
  }
}
