import type { DatasetState } from '@esd/dataset-client/dataset-state';
import { ServiceError } from '@esd/service/errors';
import type { Upstream } from '../upstream/upstream.ts';
import type { Call } from '../http/call.ts';

/** Which state of the dataset "latest" is. */
export interface DatasetStates {
  /** The newest state, known for at most 25 ms. Throws UNAVAILABLE when dataset-svc cannot be asked. */
  current(call: Call): Promise<DatasetState>;
  /** The newest state seen so far, if any. */
  seen(): DatasetState | undefined;
  /** Notes a state that came with an answer. */
  saw(state: DatasetState): void;
}

// What an approval needs to become visible is a little longer than this; it bounds how stale a kept page can be.
const FRESH_MS = 25;

/**
 * Asks dataset-svc for its newest state, once for all requests that come within 25 ms, and never goes back from one copy
 * to an older state of another.
 */
export function datasetStates(dataset: Pick<Upstream['dataset'], 'getHead'>): DatasetStates {
  let held: DatasetState | undefined;
  let askedAt = -Infinity;
  let asking: Promise<DatasetState> | undefined;
  const saw = (state: DatasetState): void => {
    if (held?.datasetId !== state.datasetId || held.revision < state.revision) held = state;
  };
  const ask = async ({ requestId, deadline }: Call): Promise<DatasetState> => {
    const started = performance.now();
    // Others wait for this answer too: it must not end because the one who asked first has gone.
    const { state } = await dataset.getHead({ atLeast: held }, { requestId, deadline });
    if (!state) throw new ServiceError('UNAVAILABLE', 'The dataset did not say which state it is in; try again.');
    saw(state);
    askedAt = started;
    return held ?? state;
  };
  return {
    saw,
    seen: () => held,
    current: (call) => {
      if (held && performance.now() - askedAt < FRESH_MS) return Promise.resolve(held);
      asking ??= ask(call).finally(() => {
        asking = undefined;
      });
      return asking;
    },
  };
}
