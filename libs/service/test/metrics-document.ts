import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';
import { type LabelValues, type MetricDefinition, METRICS } from '../src/health/metrics-table.ts';

export const documentFile = new URL('../../../docs/metrics.md', import.meta.url);

/** Returns the table of all metrics as Markdown. */
export async function metricsDocument(): Promise<string> {
  const all: [string, MetricDefinition][] = Object.entries(METRICS);
  const groups = Map.groupBy(all, ([, { processes }]) => processes.join(', '));
  const parts = [...groups].map(([processes, metrics]) => `## ${processes}\n\n${table(metrics)}`);
  const { code } = await format(fileURLToPath(documentFile), [HEAD, ...parts].join('\n\n'));
  return code;
}

const HEAD = `# Metrics

Read this page to write a query or an alert. Each process serves its metrics for Prometheus at \`/metrics\` on its internal
HTTP port. The public port returns 404 for that path. The alerts and dashboards in \`deploy/observability\` use these metrics
(see [operations.md](operations.md)).

- Every label value comes from a fixed list, never from a request. The scrape configuration adds \`service\` and \`instance\`.
- Counters with listed label values exist from the start with the value 0. Other series appear when they first occur.
- Gauges whose value comes from PostgreSQL or NATS are read every 15 s. While their source is down, they are absent.
- \`esd_backup_exit_status\` comes from \`node_exporter\`: each backup writes it (see [operations.md](operations.md#backup)).
- \`process_*\` and \`nodejs_*\` are the default metrics of @prometheus-io/client, without those of the event loop and of handles.

\`npm run docs:metrics\` generates this file from \`libs/service/src/health/metrics-table.ts\`; a test fails if it is not up to
date.`;

function table(metrics: [string, MetricDefinition][]): string {
  const rows = metrics.map(
    ([name, { type, labels = {}, buckets, help }]) =>
      `| \`${name}\` | ${type} | ${Object.entries(labels).map(label).join('; ')} | ${help}${buckets ? ` Buckets: ${buckets.join(', ')}.` : ''} |`,
  );
  return ['| metric | type | labels | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function label([name, values]: [string, LabelValues]): string {
  const names = values instanceof RegExp ? [] : 'names' in values ? values.names : values;
  return names.length > 0 ? `\`${name}\`: ${names.map((value) => `\`${value}\``).join(', ')}` : `\`${name}\``;
}
