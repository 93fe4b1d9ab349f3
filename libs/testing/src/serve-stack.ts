/**
 * A program for tests that jest does not run: starts a system with the demo dataset, writes the path of its folder to standard
 * output when it is ready, and ends it when standard input ends, however the program that holds the other end has ended.
 */
import { startSupervised } from './stack.ts';

const ended = new Promise((resolve) => process.stdin.once('end', resolve).resume());

const { facts, control } = await startSupervised({});
console.log(facts.dataDir);
await ended;
await control.stop();
