import type { DatasetState } from '@esd/dataset-client/dataset-state';
import { ServiceError } from '@esd/service/errors';
import type { Upstream } from '../upstream/upstream.ts';
import type { Call } from '../http/call.ts';

/** Which state of the dataset "latest" is. */
export interface DatasetStates {
  /** The newest state, known for at most 25 ms. Throws UNAVAILABLE when dataset-svc cannot be asked. */
  current(call: Call): Promise<DatasetState>;
  /** The newest state, if it was asked for within the last 25 ms. */
  fresh(): DatasetState | undefined;
  /** The newest state seen so far, if any. */
  seen(): DatasetState | undefined;
  /** Notes a state that came with an answer; `askedAt` (`performance.now()`) where it was the newest of a copy then or later. */
  saw(state: DatasetState, askedAt?: number): void;
}

/** For how long a state counts as the newest; it bounds how stale a kept page can be. What an approval needs to become visible is a little longer. */
export const FRESH_MS = 25;

/**
 * Asks dataset-svc for its newest state, once for all requests that come within 25 ms, and never goes back from one copy
 * to an older state of another.
 */
export function datasetStates(dataset: Pick<Upstream['dataset'], 'getHead'>): DatasetStates {
  let held: DatasetState | undefined;
  let askedAt = -Infinity;
  let asking: Promise<DatasetState> | undefined;
  const saw = (state: DatasetState, at = -Infinity): void => {
    if (held?.datasetId !== state.datasetId || held.revision < state.revision) held = state;
    askedAt = Math.max(askedAt, at);
  };
  const ask = async ({ requestId, deadline }: Pick<Call, 'requestId' | 'deadline'>): Promise<DatasetState> => {
    const started = performance.now();
    // Others wait for this answer too: it must not end because the one who asked first has gone.
    const { state } = await dataset.getHead({ atLeast: held }, { requestId, deadline });
    if (!state) throw new ServiceError('UNAVAILABLE', 'The dataset did not say which state it is in; try again.');
    saw(state, started);
    return held ?? state;
  };
  const fresh = (): DatasetState | undefined => (performance.now() - askedAt < FRESH_MS ? held : undefined);
  return {
    fresh,
    saw,
    seen: () => held,
    current: (call) => {
      const known = fresh();
      if (known) return Promise.resolve(known);
      asking ??= ask(call).finally(() => {
        asking = undefined;
      });
      return asking;
    },
  };
}
