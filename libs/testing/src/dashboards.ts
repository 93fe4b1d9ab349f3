import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { root } from '@esd/dev-stack/root';

export const observability = join(root, 'deploy', 'observability');

const dashboard = z.object({
  title: z.string(),
  templating: z.object({ list: z.array(z.object({ name: z.string(), query: z.string() })) }),
  panels: z.array(
    z.object({
      title: z.string(),
      targets: z.array(z.object({ expr: z.string(), legendFormat: z.string().optional() })).default([]),
    }),
  ),
});

export interface DashboardQuery {
  /** The titles of the dashboard and the panel. */
  panel: string;
  /** PromQL with the variables of Grafana: `$service`, `$instance`, `$__rate_interval`. */
  expr: string;
  /** The names of series: text with labels, such as `{{code}}`. */
  legend: string;
}

/** Reads every query of the Grafana dashboards, including those that list the values of a variable. */
export function dashboardQueries(): DashboardQuery[] {
  const folder = join(observability, 'dashboards');
  return readdirSync(folder).flatMap((file) => {
    const { title, templating, panels } = dashboard.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
    const variables = templating.list.flatMap(({ name, query }) => {
      const [, expr] = /^label_values\((.+), \w+\)$/.exec(query) ?? [];
      return expr === undefined ? [] : [{ panel: `${title}: variable ${name}`, expr, legend: '' }];
    });
    const shown = panels.flatMap((panel) =>
      panel.targets.map(({ expr, legendFormat = '' }) => {
        return { panel: `${title}: ${panel.title}`, expr, legend: legendFormat };
      }),
    );
    return [...variables, ...shown];
  });
}
