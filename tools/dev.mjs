/** `npm run dev [-- service …] [--inspect]`: runs the local stack and restarts services when their sources change. */
import { runStack } from './run-stack.mjs';
import { devUsage, readDevOptions } from './start-options.mjs';
import { runMain } from './stop.mjs';

await runMain(() => runStack(readDevOptions(process.argv.slice(2)), devUsage));
