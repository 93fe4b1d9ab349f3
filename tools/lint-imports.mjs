/** Checks the rules of imports. Called by `npm run lint`. */
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import rules from '../.dependency-cruiser.mjs';

/** With a TypeScript that it does not know, dependency-cruiser sees no TypeScript module and finds nothing wrong. */
const FEWEST_MODULES = 1_500;

const { options, ...ruleSet } = rules;
const { output } = await cruise(
  ['apps', 'bench', 'e2e', 'libs', 'tools'],
  { ...options, ruleSet, validate: true },
  { ...options.enhancedResolveOptions },
  { tsConfig: extractTSConfig(options.tsConfig.fileName) },
);
const { totalCruised, violations, error } = output.summary;
for (const { rule, from, to } of violations) console.error(`${rule.name}: ${from} → ${to}`);
console.log(`${totalCruised} modules read, ${error} errors`);
if (totalCruised < FEWEST_MODULES) {
  console.error(
    `Only ${totalCruised} of at least ${FEWEST_MODULES} modules were read: dependency-cruiser needs typescript below 7.`,
  );
}
if (error > 0 || totalCruised < FEWEST_MODULES) process.exitCode = 1;
