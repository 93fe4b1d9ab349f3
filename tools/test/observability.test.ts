import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { root } from '@esd/dev-stack/root';
import { type LabelValues, type MetricDefinition, METRICS } from '@esd/service/health/metrics-table';
import { dashboardQueries, observability } from '@esd/testing/dashboards';
import { prometheusProgram } from '@esd/testing/prometheus-programs';
import { runCommand } from '@esd/testing/run-command';

const rulesFile = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          record: z.string().optional(),
          alert: z.string().optional(),
          expr: z.string(),
          labels: z.object({ severity: z.enum(['page', 'ticket']) }).optional(),
          annotations: z.object({ summary: z.string(), runbook_url: z.string() }).optional(),
        }),
      ),
    }),
  ),
});

const rules = rulesFile
  .parse(parse(readFileSync(join(observability, 'rules.yaml'), 'utf8')))
  .groups.flatMap(({ rules: all }) => all);
const alerts = rules.flatMap(({ alert, labels, annotations }) => {
  return alert === undefined ? [] : [{ alert, labels, annotations }];
});
const page = readFileSync(join(root, 'docs', 'operations.md'), 'utf8');

const metrics: Readonly<Record<string, MetricDefinition>> = METRICS;

/** The labels of a series by its name. Series of @prometheus-io/client have `kind`; recorded series have no label. */
function labelsOf(series: string): readonly string[] | undefined {
  const metric = metrics[series];
  if (metric !== undefined && metric.type !== 'histogram') return Object.keys(metric.labels ?? {});
  const [, base = '', suffix] = /^(.+)_(bucket|sum|count)$/.exec(series) ?? [];
  const histogram = metrics[base];
  if (histogram?.type === 'histogram')
    return [...Object.keys(histogram.labels ?? {}), ...(suffix === 'bucket' ? ['le'] : [])];
  // tools/deploy/backup.sh writes the metric of the backup.
  if (series === 'up' || series === 'esd_backup_exit_status' || series.startsWith('process_')) return [];
  if (series.startsWith('nodejs_')) return ['kind'];
  return rules.some(({ record }) => record === series) ? [] : undefined;
}

/** The labels that the scrape configuration adds. */
const TARGET = ['service', 'instance', 'job', 'exported_job'];
const KEYWORD = /^(and|or|unless|by|on|without|ignoring|group_left|group_right|offset|bool)$/;

/** Lists the names in an expression that no process serves. `text` can use the labels that remain in its result. */
function unknownNames(expr: string, text = ''): string[] {
  const code = expr.replaceAll(/"[^"]*"/g, '""').replaceAll(/\[[^\]]*\]/g, '');
  const lists = [...code.matchAll(/\b(?:by|on|without|ignoring|group_left|group_right)\s*\(([^)]*)\)/g)];
  const rest = lists.reduce((left, [list]) => left.replace(list, ' '), code);
  const unknown: string[] = [];
  const servedLabels = new Set(TARGET);
  const selectors = rest.matchAll(/(?<![\w:$])([a-z_][\w:]*)(?!\w|:|\s*\()\s*(\{[^}]*\})?/gi);
  for (const [, series = '', matchers = ''] of selectors) {
    if (KEYWORD.test(series)) continue;
    const labels = labelsOf(series);
    if (labels === undefined) unknown.push(series);
    for (const label of labels ?? []) servedLabels.add(label);
    for (const [, label = ''] of matchers.matchAll(/(\w+)\s*[=!]/g)) {
      if (labels !== undefined && ![...labels, ...TARGET].includes(label)) unknown.push(`${series}{${label}}`);
    }
  }
  const used = lists.flatMap(([, list = '']) => list.match(/\w+/g) ?? []);
  used.push(
    ...[...text.matchAll(/\{\{\s*(?!end|else)(\w+)\s*\}\}|\$labels\.(\w+)/g)].map(
      ([, legend, label]) => legend ?? label ?? '',
    ),
  );
  return [...unknown, ...used.filter((label) => !servedLabels.has(label))];
}

/** Lists the label values in an expression that no process serves. Patterns other than a list of values are ignored. */
function unknownValues(expr: string): string[] {
  const unknown: string[] = [];
  for (const [, series = '', matchers = ''] of expr.matchAll(/(\w+)\{([^}]*)\}/g)) {
    const { labels }: MetricDefinition = metrics[series] ?? metrics[series.replace(/_(bucket|sum|count)$/, '')] ?? NONE;
    for (const [, label = '', operator = '', text = ''] of matchers.matchAll(/(\w+)\s*([=!~]+)\s*"([^"]*)"/g)) {
      const values = labels?.[label];
      const used = operator.endsWith('~') ? text.split('|') : [text];
      for (const value of used.filter((pattern) => /^[\w /-]+$/.test(pattern))) {
        if (values !== undefined && !includes(values, value)) unknown.push(`${series}{${label}="${value}"}`);
      }
    }
  }
  return unknown;
}

const NONE: MetricDefinition = { type: 'gauge', processes: [], help: '' };

function includes(values: LabelValues, value: string): boolean {
  if (values instanceof RegExp) return values.test(value);
  return 'names' in values ? values.names.includes(value) : values.includes(value);
}

describe('the metrics of rules and dashboards', () => {
  test.each(rules.map(({ record, alert, ...rule }) => ({ name: alert ?? record, ...rule })))(
    'every name in $name is served by a process',
    ({ expr, annotations }) => {
      expect([...unknownNames(expr, annotations?.summary), ...unknownValues(expr)]).toEqual([]);
    },
  );

  test('every name in the dashboards is served by a process', () => {
    const queries = dashboardQueries();
    expect(queries.length).toBeGreaterThan(60);
    const unknown = queries.flatMap(({ panel, expr, legend }) =>
      [...unknownNames(expr, legend), ...unknownValues(expr)].map((name) => `${panel}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  test.each([
    ['a metric', 'esd_readyness == 1', ['esd_readyness']],
    ['a metric in a function', 'sum by (service) (rate(esd_nothing_total[5m]))', ['esd_nothing_total']],
    ['the name of a histogram without its suffix', 'rate(esd_event_delay_seconds[1m])', ['esd_event_delay_seconds']],
    ['a label of a selector', 'esd_ready{replica="1"}', ['esd_ready{replica}']],
    ['a value of a label', 'esd_dependency_up{dependency=~"nats|kafka"}', ['esd_dependency_up{dependency="kafka"}']],
    ['a label of an aggregation', 'max by (queue) (esd_ready)', ['queue']],
  ])('reports %s that no process serves', (_, expr, unknown) => {
    expect([...unknownNames(expr), ...unknownValues(expr)]).toEqual(unknown);
  });
});

describe('alerts', () => {
  test.each(alerts)(
    '$alert has a severity, a value in its summary, and a section with four parts',
    ({ alert, labels, annotations }) => {
      expect(labels?.severity).toBeDefined();
      expect(annotations?.summary).toContain('$value');
      expect(annotations?.runbook_url).toBe(`docs/operations.md#${alert.toLowerCase()}`);
      const [, section = ''] = page.split(`\n### ${alert}\n`);
      const [alertSection = ''] = section.split(/\n##/);
      expect(alertSection).toMatch(new RegExp(`^\n\`${labels?.severity}\``));
      expect([...alertSection.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, heading]) => heading)).toEqual([
        'Effect on users.',
        'Confirm.',
        'Remedy.',
        'It is over when',
      ]);
    },
  );
});

const promtool = prometheusProgram('promtool');
const testWithPromtool = promtool === undefined ? test.skip : test;

testWithPromtool('promtool accepts the rules', async () => {
  await runCommand([promtool ?? '', 'check', 'rules', '--lint-fatal', join(observability, 'rules.yaml')]);
});

testWithPromtool('every alert fires on its fault only, and no alert fires in a healthy system', async () => {
  const file = join(observability, 'rules.test.yaml');
  // Takes 5 s of processor time.
  await runCommand([promtool ?? '', 'test', 'rules', file], { timeoutMs: 200_000 });
  const tested = readFileSync(file, 'utf8');
  for (const { alert } of alerts) expect(tested).toContain(`alertname: ${alert}\n`);
});
