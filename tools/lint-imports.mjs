/** Checks the import rules. `npm run lint` calls it. */
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import rules from '../.dependency-cruiser.mjs';

/** A lower count means that dependency-cruiser ignored the TypeScript modules, as it does with an unsupported TypeScript. */
const MIN_MODULES = 1_500;

const { options, ...ruleSet } = rules;
const { output } = await cruise(
  ['apps', 'bench', 'e2e', 'libs', 'tools'],
  { ...options, ruleSet, validate: true },
  { ...options.enhancedResolveOptions },
  { tsConfig: extractTSConfig(options.tsConfig.fileName) },
);
const { totalCruised, violations, error } = output.summary;
for (const { rule, from, to } of violations) console.error(`${rule.name}: ${from} → ${to}`);
console.log(`${totalCruised} modules checked, ${error} errors`);
if (totalCruised < MIN_MODULES) {
  console.error(
    `Only ${totalCruised} modules were checked; expected at least ${MIN_MODULES}. Install typescript below version 7 for dependency-cruiser.`,
  );
}
if (error > 0 || totalCruised < MIN_MODULES) process.exitCode = 1;
