/** `npm run deploy:rules`: writes the rules for the Prometheus operator. */
import { writeFileSync } from 'node:fs';
import { prometheusRule, ruleFile } from './prometheus-rule.ts';

writeFileSync(ruleFile, await prometheusRule());
