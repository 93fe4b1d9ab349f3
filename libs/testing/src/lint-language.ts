/** Checks the texts of the repository against the rules of language. Called by `npm run lint`. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { languageFaults } from './language-rules.ts';

const TEXTS = /\.(?:ts|tsx|mjs|cjs|js|py|md|proto|css|html|sh|sql|ya?ml|toml|cff|ipynb)$|(?:^|\/)(?:Dockerfile|run)$/;
/** The rules and their test contain the patterns. */
const RULES = /\/language-rules(?:\.test)?\.ts$/;

const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
});
const files = listed.split('\0').filter((file) => TEXTS.test(file) && !RULES.test(file) && existsSync(file));
let faults = 0;
for (const file of files) {
  for (const { line, found, instead } of languageFaults(readFileSync(file, 'utf8'))) {
    console.error(`${file}:${line}: "${found}"; write ${instead}`);
    faults += 1;
  }
}
console.log(`${files.length} texts read, ${faults} faults`);
if (faults > 0 || files.length === 0) process.exitCode = 1;
