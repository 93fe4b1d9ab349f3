/**
 * Starts one task per tick of the event loop, in order, so that the output of one is sent before the next starts. Otherwise,
 * all calls of one packet would be computed before the first response leaves. A single task starts immediately. Tasks must
 * not throw.
 */
export function onePerTick(): (task: () => void) => void {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  const start = (task: () => void): void => {
    isTaken = true;
    task();
    setImmediate(() => {
      isTaken = false;
      const next = waiting.shift();
      if (next) start(next);
    });
  };
  return (task) => {
    if (isTaken) waiting.push(task);
    else start(task);
  };
}
