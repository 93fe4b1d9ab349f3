import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'oxfmt';
import { parse, stringify } from 'yaml';
import { member } from '@esd/dev-stack/json-value';
import { root } from '@esd/dev-stack/root';

export const ruleFile = join(root, 'deploy', 'k8s', 'components', 'observability', 'prometheus-rule.yaml');

/** Returns the rules of deploy/observability/rules.yaml as an object of the Prometheus operator. */
export async function prometheusRule(): Promise<string> {
  const rules: unknown = parse(readFileSync(join(root, 'deploy', 'observability', 'rules.yaml'), 'utf8'));
  const body = stringify(
    {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: { name: 'esd' },
      spec: { groups: member(rules, 'groups') },
    },
    { lineWidth: 0 },
  );
  const head =
    '# Generated from deploy/observability/rules.yaml by `npm run deploy:rules`. A test fails if this file is out of date.';
  return (await format(ruleFile, `${head}\n${body}`, { printWidth: 120, singleQuote: true })).code;
}
