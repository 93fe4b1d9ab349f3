/** Checks the Python client with ruff and mypy. Called by `npm run lint`, which installs them. */
import { pythonChecks } from './python/lint.mjs';

let failed = false;
for (const { name, run } of await pythonChecks()) {
  if ((await run()) === 0) continue;
  console.error(`${name}: failed`);
  failed = true;
}
if (failed) process.exitCode = 1;
