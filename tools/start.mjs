/** `npm start`: installs what is missing, then runs the local stack until it is stopped. */
import { runStack } from './run-stack.mjs';
import { readOptions, usage } from './start-options.mjs';
import { runMain } from './stop.mjs';

await runMain(() => runStack(readOptions(process.argv.slice(2)), usage));
