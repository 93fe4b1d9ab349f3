/**
 * Starts tasks one per tick of the event loop, in order: what one has written is sent before the next starts. Calls that arrive in one
 * packet would otherwise all be computed before the first answer leaves, while their caller idles. A task that arrives alone starts at
 * once. Tasks must not throw.
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
