/** The signal of a call that several requests share. It aborts when the last of them has disconnected. */
export class SharedSignal {
  readonly #controller = new AbortController();
  #waiting = 0;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Adds a request, by the signal that aborts when it disconnects. */
  add(disconnected: AbortSignal): void {
    this.#waiting += 1;
    const leave = (): void => {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#controller.abort(disconnected.reason);
    };
    if (disconnected.aborted) leave();
    else disconnected.addEventListener('abort', leave, { once: true });
  }
}
