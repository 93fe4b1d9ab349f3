/** Lets a loop sleep until there is something to do: a wake that comes while it works is not lost. */
export class Wake {
  #pending = false;
  #resume: (() => void) | undefined;

  /** Wakes the loop, or lets its next wait return at once. */
  now(): void {
    this.#pending = true;
    this.#resume?.();
  }

  /** Resolves at the next wake, after `ms`, or when `signal` aborts, whichever comes first. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#pending && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          this.#resume = undefined;
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done);
        this.#resume = done;
      });
    }
    this.#pending = false;
  }
}
