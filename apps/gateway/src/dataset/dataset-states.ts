import type { DatasetState } from '@esd/dataset-client/dataset-state';
import { ServiceError } from '@esd/service/errors';
import type { Upstream } from '../upstream/upstream.ts';
import type { Call } from '../http/call.ts';

export interface DatasetStates {
  /** Returns the newest state, at most 25 ms old. Throws UNAVAILABLE if dataset-svc is unreachable. */
  current(call: Call): Promise<DatasetState>;
  /** Returns the newest state if it was requested within the last 25 ms. */
  fresh(): DatasetState | undefined;
  /** Returns the newest state observed so far. */
  seen(): DatasetState | undefined;
  /** Records a state. `askedAt` (`performance.now()`) is given if it was the newest of a replica at that time or later. */
  saw(state: DatasetState, askedAt?: number): void;
}

/** Milliseconds for which a state counts as the newest. An approval takes slightly longer to become visible. */
export const FRESH_MS = 25;

/** Shares one call per 25 ms. Never replaces a state with an older one of another replica. */
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
    // Shared call: do not abort it when the first caller disconnects.
    const { state } = await dataset.getHead({ atLeast: held }, { requestId, deadline });
    if (!state) throw new ServiceError('UNAVAILABLE', 'The dataset service did not return its revision. Try again.');
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
