import { ensureInstalled } from './install.mjs';
import { nxArguments, runNode } from './run.mjs';
import { runMain } from './stop.mjs';

await runMain(async () => {
  await ensureInstalled({});
  return runNode(nxArguments(process.argv.slice(2)));
});
