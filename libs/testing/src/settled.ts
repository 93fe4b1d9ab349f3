import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 50;
const SAME_LOOKS = 10;

/** Waits until a count stops growing because its source waits for a slow reader. Throws if it exceeds `max`. */
export async function settled(count: () => number, max: number): Promise<void> {
  let last = count();
  for (let same = 0; same < SAME_LOOKS;) {
    await sleep(LOOK_MS);
    const now = count();
    if (now > max) throw new Error(`the source sent ${now} while its reader was paused; the limit is ${max}`);
    same = now === last ? same + 1 : 0;
    last = now;
  }
}
