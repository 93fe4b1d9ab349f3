/**
 * A program for tests outside jest. Starts a system with the demo dataset and prints the path of its folder when it is ready. Stops it when
 * standard input closes, which includes a crash of the calling program.
 */
import { startSupervised } from './stack.ts';

const ended = new Promise((resolve) => process.stdin.once('end', resolve).resume());

const { facts, control } = await startSupervised({});
console.log(facts.dataDir);
await ended;
await control.stop();
