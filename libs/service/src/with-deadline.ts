/** Runs `work` with a signal that aborts after `ms`. Unlike `AbortSignal.timeout`, finished work leaves no timer behind. */
export async function withDeadline<Result>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort(new Error(`no response within ${ms} ms`));
  }, ms).unref();
  try {
    return await work(late.signal);
  } finally {
    clearTimeout(timer);
  }
}
