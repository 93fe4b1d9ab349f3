/** Checks the Python client with ruff and mypy. `npm run lint` installs them and calls it. */
import { pythonChecks } from './python/lint.mjs';

let failed = false;
for (const { name, run } of await pythonChecks()) {
  if ((await run()) === 0) continue;
  console.error(`${name}: failed`);
  failed = true;
}
if (failed) process.exitCode = 1;
