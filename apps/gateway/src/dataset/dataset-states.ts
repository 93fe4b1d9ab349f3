import type { DatasetState } from '@esd/dataset-client/dataset-state';
import { ServiceError } from '@esd/service/errors';
import type { CallOptions } from '@esd/service/rpc/rpc-client';
import { SharedCalls } from '@esd/service/rpc/shared-calls';
import type { Upstream } from '../upstream/upstream.ts';

export interface DatasetStates {
  /** Returns the newest state, at most 25 ms old. Throws UNAVAILABLE if dataset-svc is unreachable. */
  current(call: Pick<CallOptions, 'requestId' | 'deadline'>): Promise<DatasetState>;
  /** Returns the newest state if it was requested within the last 25 ms. */
  fresh(): DatasetState | undefined;
  /** Returns the newest state observed so far. */
  latest(): DatasetState | undefined;
  /** Records a state. Pass `requestedAt` (`performance.now()`) if a replica had it as its newest at that time or later. */
  observe(state: DatasetState, requestedAt?: number): void;
}

/** Milliseconds for which a state counts as the newest. An approval takes slightly longer to become visible. */
export const FRESH_MS = 25;

/** Shares one call per 25 ms. Never replaces a state with an older one of another replica. */
export function datasetStates(dataset: Pick<Upstream['dataset'], 'getHead'>): DatasetStates {
  let latest: DatasetState | undefined;
  let requestedAt = -Infinity;
  const calls = new SharedCalls<DatasetState>();
  const observe = (state: DatasetState, at = -Infinity): void => {
    if (latest?.datasetId !== state.datasetId || latest.revision < state.revision) latest = state;
    requestedAt = Math.max(requestedAt, at);
  };
  const fetchLatest = async ({
    requestId,
    deadline,
  }: Pick<CallOptions, 'requestId' | 'deadline'>): Promise<DatasetState> => {
    const started = performance.now();
    // Shared call: do not abort it when the first caller disconnects. Reserved, because cached pages and 304 need it.
    const head = await dataset.getHead({ atLeast: latest }, { requestId, deadline, isReserved: true });
    const state = requireState(head.state);
    observe(state, started);
    return latest ?? state;
  };
  const fresh = (): DatasetState | undefined => (performance.now() - requestedAt < FRESH_MS ? latest : undefined);
  return {
    fresh,
    observe,
    latest: () => latest,
    current: async (call) => fresh() ?? calls.join('', undefined, () => fetchLatest(call)).result,
  };
}

/** Returns the state of a response of dataset-svc. Throws UNAVAILABLE without one. */
export function requireState<State>(state: State | undefined): State {
  if (state) return state;
  throw new ServiceError('UNAVAILABLE', 'The dataset service did not return its revision. Try again.');
}
