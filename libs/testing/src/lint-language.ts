/** Checks the texts of the repository against the rules of language. Called by `npm run lint`. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { languageFaults } from './language-rules.ts';

const TEXTS =
  /\.(?:ts|tsx|mjs|cjs|js|py|md|proto|css|html|sh|sql|ya?ml|toml|cff|ipynb)$|(?:^|\/)(?:Dockerfile|run|LICENSE)$/;
/** Names and titles of others, contracts of earlier states, and the rules themselves. */
const OF_OTHERS = /^proto\/baseline\/|\/language-rules(?:\.test)?\.ts$|^LICENSE$/;

const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
});
const files = listed.split('\0').filter((file) => TEXTS.test(file) && !OF_OTHERS.test(file));
let faults = 0;
for (const file of files) {
  for (const { line, found, instead } of languageFaults(readFileSync(file, 'utf8'))) {
    console.error(`${file}:${line}: "${found}"; write ${instead}`);
    faults += 1;
  }
}
console.log(`${files.length} texts read, ${faults} faults`);
if (faults > 0 || files.length === 0) process.exitCode = 1;
