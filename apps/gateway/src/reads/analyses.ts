import type { Request, Response } from 'express';
import { ALLOWANCES } from '@esd/api/allowances';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import { exploreOne, type Question } from '@esd/dataset-client/explore-one';
import { type Filter, filterKey } from '@esd/record/filter/filter';
import { clientShares } from '@esd/service/client-shares';
import { parseEntityTags, textTag } from '@esd/service/http/entity-tag';
import { type DatasetStates, requireState } from '../dataset/dataset-states.ts';
import type { NamedState } from '../dataset/named-state.ts';
import { sendNotModified, stateTag } from '../http/state-tag.ts';
import type { Call } from '../http/call.ts';
import { clientAt } from '@esd/service/quota-client';
import type { Exchange } from '../http/exchange.ts';
import { rejectedRequests } from '../http/metrics.ts';
import { limitBySecondClass } from '../http/limits/limit-by.ts';
import type { RateLimits } from '../http/limits/rate-limits.ts';
import { SharedCalls } from '@esd/service/rpc/shared-calls';
import type { Upstream } from '../upstream/upstream.ts';
import { type CachedPage, countCached, type PageCache } from '../cache/page-cache.ts';
import { sendPage } from '../cache/send-page.ts';

export interface AnalysisQuestion {
  question: Question;
  filter: Filter;
  /** Whether each group of records that repeat each other counts once. */
  once: boolean;
  /** Absent: the newest state. */
  named: NamedState | undefined;
}

export interface Analyses {
  /** Sends the response to a question. */
  (question: AnalysisQuestion, request: Request, response: Response, call: Call): Promise<void>;
  /** Finds the response to a question, as JSON in UTF-8. */
  find(question: AnalysisQuestion, exchange: Exchange, call: Call): Promise<{ state: DatasetRevision; body: Buffer }>;
}

interface Result {
  state: DatasetRevision;
  page: CachedPage;
}

/** Finds analyses in the cache, or computes them: a few per client at a time, counted in the class `analysis`. */
export function analyses(
  dataset: Pick<Upstream['dataset'], 'explore'>,
  states: DatasetStates,
  cache: PageCache,
  limits: RateLimits,
): Analyses {
  const calls = new SharedCalls<Result>();
  const shares = clientShares({
    name: 'analyses',
    max: ALLOWANCES.shares.analyses.amount,
    maxOfClient: ALLOWANCES.shares.clientAnalyses.amount,
    retryAfterSeconds: 1,
  });
  const acquire = (block: string, network: string | undefined): (() => void) => {
    try {
      return shares.acquire(`address ${block}`, 1, network);
    } catch (error) {
      rejectedRequests.inc({ reason: 'share' });
      throw error;
    }
  };
  const compute = async (
    { question, filter, once, named }: AnalysisQuestion,
    part: string,
    call: Pick<Call, 'requestId' | 'deadline' | 'signal'>,
  ): Promise<Result> => {
    const { state, answerJson } = await exploreOne(
      dataset,
      {
        question,
        filter,
        once,
        version: versionOf(named),
        revision: named?.state.revision,
        queryId: named?.queryId,
        atLeast: named ? undefined : states.latest(),
      },
      call,
    );
    if (state && !named) states.observe(state);
    const answerState = requireState(state ?? named?.state);
    return {
      state: answerState,
      page: cache.store({
        kind: 'analysis',
        key: stateTag(answerState, part),
        total: 0,
        nextAfter: undefined,
        body: Buffer.from(answerJson),
      }),
    };
  };

  const partOf = ({ question, filter, once, named }: AnalysisQuestion): string =>
    `${question.$case}.${textTag(JSON.stringify([versionOf(named), question.value, filterKey(filter), once]))}`;
  /** Finds a response at the state `wanted` or a newer one. */
  const findAt = async (
    requested: AnalysisQuestion,
    part: string,
    wanted: DatasetRevision,
    exchange: Exchange,
    call: Call,
  ): Promise<Result> => {
    const key = stateTag(wanted, part);
    const page = cache.get(key);
    countCached('analysis', page ? 'hit' : 'miss');
    if (page) return { state: wanted, page };
    const { requestId, deadline } = call;
    const start = (signal: AbortSignal): Promise<Result> => {
      // The list of features is an analysis that counts as a read.
      if (requested.question.$case !== 'keys') limitBySecondClass(limits, 'analysis', exchange);
      const { block, network } = clientAt(exchange.ip ?? '');
      const release = acquire(block, network);
      return compute(requested, part, { requestId, deadline, signal }).finally(release);
    };
    return calls.join(key, call.signal, start).result;
  };

  const send = async (requested: AnalysisQuestion, request: Request, response: Response, call: Call): Promise<void> => {
    const { named } = requested;
    const part = partOf(requested);
    const newest = named?.state ?? (await states.current(call));
    response.set({ 'Cache-Control': named?.cacheControl ?? 'no-cache', Vary: 'Accept-Encoding' });
    const clientTags = parseEntityTags(request.headers['if-none-match']);
    if (sendNotModified(response, clientTags, newest, part)) {
      countCached('analysis', 'not_modified');
      return;
    }
    const { state, page } = await findAt(requested, part, newest, request.exchange, call);
    if (state.revision !== newest.revision && sendNotModified(response, clientTags, state, part)) return;
    await sendPage(cache, { page, state, part, named }, request, response);
  };
  return Object.assign(send, {
    find: async (requested: AnalysisQuestion, exchange: Exchange, call: Call) => {
      const newest = requested.named?.state ?? (await states.current(call));
      const { state, page } = await findAt(requested, partOf(requested), newest, exchange, call);
      return { state, body: page.body };
    },
  });
}

function versionOf(named: NamedState | undefined): string {
  return named?.version ?? 'latest';
}
