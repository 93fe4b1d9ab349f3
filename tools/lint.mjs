/**
 * `npm run lint [-- --affected [--base=commit]]`: checks code, import rules, contracts, formatting and the Python client in parallel. Skips
 * checks that passed with the same input. `--affected` limits them to packages that differ from the base, by default `main`.
 */
import { ensureInstalled } from './install.mjs';
import { lintEnvironment } from './python/test-runs.mjs';
import { nxArguments, runNode } from './run.mjs';
import { runMain } from './stop.mjs';

const targets = ['lint', 'lint-imports', 'lint-contracts', 'lint-language', 'lint-format', 'lint-python'];

await runMain(async () => {
  const python = await lintEnvironment();
  await ensureInstalled({ generated: true, environments: python === undefined ? [] : [python] });
  const options = process.argv.slice(2);
  const affected = options.includes('--affected');
  const others = options.filter((option) => option !== '--affected');
  const command = [affected ? 'affected' : 'run-many', '--targets', targets.join(), ...others];
  return runNode(nxArguments(command));
});
