/** The exit codes of esd-admin. `damaged`: done, except for the objects that were reported. */
export const EXIT = { done: 0, notDone: 1, usage: 2, unreachable: 3, damaged: 4 } as const;

/** An error that ends esd-admin with one line and an exit code. */
export class AdminError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
