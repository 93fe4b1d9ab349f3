/**
 * Begins works one a turn of the event loop, in their order: what one has written goes out before the next begins. Calls that came
 * in one packet would else be computed all before the first answer leaves, while who asked waits idle. A work that comes alone
 * begins at once. Works do not throw.
 */
export function oneATurn(): (work: () => void) => void {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  const take = (work: () => void): void => {
    isTaken = true;
    work();
    setImmediate(() => {
      isTaken = false;
      const next = waiting.shift();
      if (next) take(next);
    });
  };
  return (work) => {
    if (isTaken) waiting.push(work);
    else take(work);
  };
}
