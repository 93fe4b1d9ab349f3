export interface SharedCall<Result> {
  readonly result: Promise<Result>;
  /** `performance.now()` at the start. */
  readonly startedAt: number;
}

interface RunningCall<Result> extends SharedCall<Result> {
  readonly controller: AbortController;
  callers: number;
}

/** Runs one call per key for all callers that need its result at the same time. */
export class SharedCalls<Result> {
  readonly #running = new Map<string, RunningCall<Result>>();

  /**
   * Joins the running call of a key, or starts one. `disconnected` aborts when the caller leaves; the signal of the call
   * aborts when its last caller has left. Without `disconnected`, the caller stays. Does not join `outdated`.
   */
  join(
    key: string,
    disconnected: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<Result>,
    outdated?: SharedCall<Result>,
  ): SharedCall<Result> {
    const running = this.#running.get(key);
    const isUsable = running && running !== outdated && !running.controller.signal.aborted;
    const call = isUsable ? running : this.#start(key, start);
    call.callers += 1;
    const leave = (): void => {
      call.callers -= 1;
      if (call.callers === 0) call.controller.abort(disconnected?.reason);
    };
    if (disconnected?.aborted) leave();
    else disconnected?.addEventListener('abort', leave, { once: true });
    return call;
  }

  #start(key: string, start: (signal: AbortSignal) => Promise<Result>): RunningCall<Result> {
    const controller = new AbortController();
    const startedAt = performance.now();
    const end = (): void => {
      if (this.#running.get(key) === call) this.#running.delete(key);
    };
    const call: RunningCall<Result> = { result: start(controller.signal), startedAt, controller, callers: 0 };
    call.result.then(end, end);
    this.#running.set(key, call);
    return call;
  }
}
