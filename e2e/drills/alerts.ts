import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { reserveFreePort } from '@esd/dev-stack/free-port';
import { services } from '@esd/dev-stack/service-table';
import { type CertificateFiles, makeCertificates, renewCertificate } from '@esd/testing/certificates';
import { dashboardQueries, type DashboardQuery, observability } from '@esd/testing/dashboards';
import { request } from '@esd/testing/http';
import { prometheusProgram } from '@esd/testing/prometheus-programs';
import { smallSubmission } from '@esd/testing/records';
import { runCommand } from '@esd/testing/run-command';
import { startStack, type TestStack } from '@esd/testing/stack';
import { createAdmin } from '../support/admin.ts';
import { type Api, apiAt } from '../support/api.ts';
import { submitRecords } from '../support/dataset.ts';
import { eventually } from '@esd/testing/eventually';
import type { Drill, DrillContext, DrillResult } from './drill.ts';

/** The time from the end of `for` to the alert, and from the end of a fault to the end of its alert. */
const WITHIN_MS = 60_000;
const EVERY_MS = 1_000;
const START_MS = 60_000;
/** Longer than the 5 minutes for which EsdSlowReads remembers slow requests. */
const QUIET_MS = 6 * 60_000;
const STEP_SECONDS = 15;
const DISK_MB = 64;
/** The name of the certificate of all processes, and its validity in days. */
const PROCESSES = 'processes';
const DAYS = 90;
const RECORDS = 500;

interface Fault {
  name: string;
  /** The labels of its alert. Other labels of the alert can have any value. */
  alert: Readonly<Record<string, string>> & { alertname: string };
  begin: () => Promise<void>;
  end: () => Promise<void>;
}

const alertState = z.object({ labels: z.record(z.string(), z.string()), state: z.enum(['pending', 'firing']) });
type AlertState = z.output<typeof alertState>;
const alertsAnswer = z.object({ data: z.object({ alerts: z.array(alertState) }) });
const rulesAnswer = z.object({
  data: z.object({
    groups: z.array(z.object({ rules: z.array(z.object({ name: z.string(), duration: z.number().optional() })) })),
  }),
});
const seriesAnswer = z.object({ data: z.object({ result: z.array(z.unknown()) }) });

export const alerts: Drill = {
  name: 'alerts',
  passes:
    'the alert of each of five faults fires within its `for` + 60 s and resolves, no other alert fires, and every query of the dashboards returns a series.',
  run: async (context) => {
    const program = prometheusProgram('prometheus');
    if (program === undefined) return skipped('Prometheus is missing');
    if (process.getuid?.() !== 0) return skipped('mounting a small disk needs root');
    const folder = await mkdtemp(join(tmpdir(), 'esd-alerts-'));
    const disk = join(folder, 'disk');
    await mkdir(disk);
    await runCommand(['mount', '-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'esd-alerts', disk]);
    try {
      const files = await makeCertificates(folder, PROCESSES, undefined, DAYS);
      const env = {
        ESD_TLS_CERT_FILE: files.cert,
        ESD_TLS_KEY_FILE: files.key,
        ESD_TLS_CA_FILE: files.ca,
        ESD_WATCHED_FOLDERS: disk,
      };
      const stack = await startStack({ empty: true, env });
      try {
        return await drillStack(context, { stack, files, folder, disk, program });
      } finally {
        await stack.stop();
      }
    } finally {
      await runCommand(['umount', disk]);
      await rm(folder, { recursive: true, force: true });
    }
  },
};

interface Parts {
  stack: TestStack;
  files: CertificateFiles;
  folder: string;
  disk: string;
  /** The path of Prometheus. */
  program: string;
}

async function drillStack({ say, whole }: DrillContext, parts: Parts): Promise<DrillResult> {
  const { stack, program } = parts;
  const began = Date.now();
  const prometheus = await startPrometheus(program, parts);
  const use = await startUse(apiAt(stack.url));
  const watch = watchAlerts(prometheus.url);
  try {
    await eventually(
      () => targetsUp(prometheus.url),
      (up) => up === services.length,
      START_MS,
    );
    await watch.quiet(START_MS);
    const failures: string[] = [];
    const seconds: Record<string, number> = {};
    const drillOne = async (fault: Fault): Promise<void> => {
      const { waitMs, firedMs, resolvedMs } = await watch.drill(fault, say);
      if (firedMs === undefined) failures.push(`${fault.name}: ${fault.alert.alertname} did not fire`);
      else seconds[`s from ${fault.name} to its alert`] = Math.round(firedMs / 1_000);
      if (firedMs !== undefined && firedMs > waitMs + WITHIN_MS)
        failures.push(`${fault.name}: ${fault.alert.alertname} fired after ${firedMs} ms, its \`for\` is ${waitMs} ms`);
      if (resolvedMs === undefined) failures.push(`${fault.name}: ${fault.alert.alertname} did not resolve`);
    };
    const { disk, inTurn } = faultsOf(parts);
    const chosen = inTurn.slice(0, whole ? undefined : 1);
    const oneAfterTheOther = async (): Promise<void> => {
      for (const fault of chosen) {
        await drillOne(fault);
        await watch.quiet(QUIET_MS);
      }
    };
    // The disk fills for ten minutes before its alert fires, so this fault overlaps the others.
    await Promise.all([oneAfterTheOther(), ...(whole ? [drillOne(disk)] : [])]);
    await watch.quiet(QUIET_MS);
    failures.push(...watch.unexpected());
    const queries = whole ? dashboardQueries() : [];
    const empty = await emptyQueries(prometheus.url, queries, began);
    failures.push(...empty.map((query) => `no series for ${query}`));
    return {
      counts: {
        faults: chosen.length + (whole ? 1 : 0),
        fired: Object.keys(seconds).length,
        'other alerts': watch.unexpected().length,
        'dashboard queries': queries.length,
        'without a series': empty.length,
        ...seconds,
      },
      failures,
    };
  } finally {
    await use.stop();
    await prometheus.stop();
  }
}

function faultsOf({ stack, folder, disk }: Parts): { disk: Fault; inTurn: Fault[] } {
  const replaceCertificate = async (days: number): Promise<void> => {
    await renewCertificate(folder, PROCESSES, days);
    await stack.restart('export-svc');
  };
  return {
    disk: {
      name: 'a disk at 85 %',
      alert: { alertname: 'EsdDiskFilling', disk: basename(disk) },
      begin: () => writeFile(join(disk, 'file'), Buffer.alloc(DISK_MB * 0.85 * 2 ** 20)),
      end: () => rm(join(disk, 'file')),
    },
    inTurn: [
      {
        name: 'a certificate that expires in 10 days',
        alert: { alertname: 'EsdCertificateExpires', service: 'export-svc' },
        begin: () => replaceCertificate(10),
        end: () => replaceCertificate(DAYS),
      },
      {
        name: 'NATS unavailable',
        alert: { alertname: 'EsdDependencyDown', dependency: 'nats' },
        begin: () => stack.kill('nats'),
        end: () => stack.start('nats'),
      },
      {
        name: 'PostgreSQL unavailable',
        alert: { alertname: 'EsdDependencyDown', dependency: 'postgres' },
        begin: () => stack.kill('postgres'),
        end: () => stack.start('postgres'),
      },
      {
        name: 'dataset-svc unresponsive',
        alert: { alertname: 'EsdTargetDown', service: 'dataset-svc' },
        begin: () => stack.pause('dataset-svc'),
        end: () => stack.resume('dataset-svc'),
      },
    ],
  };
}

function skipped(reason: string): DrillResult {
  return { counts: {}, failures: [], skipped: reason };
}

/** Starts Prometheus with the rules of the project and every process of the stack as a target. */
async function startPrometheus(program: string, { folder, files, stack }: Parts) {
  const reserved = await reserveFreePort();
  const config = join(folder, 'prometheus.yml');
  const targets = Object.entries(stack.addresses).flatMap(([name, { http }]) => {
    const service = services.find((one) => one.name === name)?.name;
    return http === undefined || service === undefined
      ? []
      : [{ targets: [new URL(http).host], labels: { service, instance: name } }];
  });
  const scrape = {
    job_name: 'esd',
    scheme: 'https',
    tls_config: { ca_file: files.ca },
    honor_labels: true,
    static_configs: targets,
  };
  await writeFile(
    config,
    JSON.stringify({
      global: { scrape_interval: `${STEP_SECONDS}s`, evaluation_interval: `${STEP_SECONDS}s` },
      rule_files: [join(observability, 'rules.yaml')],
      scrape_configs: [scrape],
    }),
  );
  await reserved.release();
  const listen = `127.0.0.1:${reserved.port}`;
  const data = join(folder, 'prometheus');
  const child = spawn(
    program,
    [`--config.file=${config}`, `--storage.tsdb.path=${data}`, `--web.listen-address=${listen}`],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-4_000)));
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
    await reserved.free();
  };
  const url = `http://${listen}`;
  const isReady = () =>
    request(`${url}/-/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  try {
    await eventually(isReady, (ready) => ready || child.exitCode !== null, START_MS);
    if (child.exitCode !== null) throw new Error(`Prometheus ended with ${child.exitCode}: ${log}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

/** Reads and approves continuously, as users do. Requests fail during the faults. */
async function startUse(api: Api): Promise<{ stop: () => Promise<void> }> {
  const { token } = await createAdmin(api);
  const own = await submitRecords(api, smallSubmission(RECORDS), token);
  let running = true;
  const loop = async (everyMs: number, send: (number: number) => Promise<unknown>): Promise<void> => {
    for (let number = 0; running; number++) {
      await send(number).catch(() => undefined);
      await sleep(everyMs);
    }
  };
  const loops = [
    loop(500, (number) => api.get(`/public/dataset?filter=${encodeURIComponent(`{"voltageMin":${number / 1_000}}`)}`)),
    loop(2_000, () => api.get('/data/my-records/ids', { bearer: token })),
    loop(5_000, (number) => api.post(`/moderation/records/${own[number] ?? 0}/approve`, '', { bearer: token })),
  ];
  return {
    stop: async () => {
      running = false;
      await Promise.all(loops);
    },
  };
}

/** Polls the alerts of Prometheus, and records those that no running fault explains. */
function watchAlerts(url: string) {
  const running = new Set<Fault>();
  const unexpected = new Map<string, string>();
  const read = async (): Promise<AlertState[]> => {
    const { alerts: found } = alertsAnswer.parse((await request(`${url}/api/v1/alerts`)).json).data;
    for (const { labels, state } of found) {
      if (state === 'pending' || [...running].some((fault) => explains(fault, labels))) continue;
      const text = JSON.stringify(labels);
      const during = [...running].map(({ name }) => name).join(', ') || 'no fault';
      if (!unexpected.has(text)) unexpected.set(text, `another alert fired during ${during}: ${text}`);
    }
    return found;
  };
  const until = async (accept: (found: AlertState[]) => boolean, withinMs: number): Promise<number | undefined> => {
    const began = Date.now();
    while (Date.now() - began < withinMs) {
      if (accept(await read())) return Date.now() - began;
      await sleep(EVERY_MS);
    }
    return undefined;
  };
  return {
    unexpected: () => [...unexpected.values()],
    /**
     * Waits until no alert is pending or firing except those of running faults, but not longer than `withinMs`: on a busy machine, some
     * alerts stay pending.
     */
    quiet: async (withinMs: number): Promise<void> => {
      const isExplained = (labels: AlertState['labels']) => [...running].some((fault) => explains(fault, labels));
      await until((found) => found.every(({ labels }) => isExplained(labels)), withinMs);
    },
    /** Runs a fault until its alert fires, and then waits until the alert resolves. */
    drill: async (fault: Fault, say: DrillContext['say']) => {
      const waitMs = await forMs(url, fault.alert.alertname);
      const fires = (found: AlertState[]) =>
        found.some(({ labels, state }) => state === 'firing' && explains(fault, labels));
      running.add(fault);
      await fault.begin();
      say(`${fault.name}: begun`);
      const firedMs = await until(fires, waitMs + 2 * WITHIN_MS);
      say(`${fault.name}: ${fault.alert.alertname} fired after ${firedMs ?? '–'} ms`);
      await fault.end();
      const resolvedMs = await until((found) => !fires(found), 2 * WITHIN_MS);
      say(`${fault.name}: resolved after ${resolvedMs ?? '–'} ms`);
      running.delete(fault);
      return { waitMs, firedMs, resolvedMs };
    },
  };
}

function explains({ alert }: Fault, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(alert).every(([name, value]) => labels[name] === value);
}

/** Returns the `for` of an alert, in milliseconds. */
async function forMs(url: string, alert: string): Promise<number> {
  const { groups } = rulesAnswer.parse((await request(`${url}/api/v1/rules?type=alert`)).json).data;
  const found = groups.flatMap(({ rules }) => rules).find(({ name }) => name === alert);
  if (found?.duration === undefined) throw new Error(`there is no alert ${alert}`);
  return found.duration * 1_000;
}

async function targetsUp(url: string): Promise<number> {
  const { json } = await request(`${url}/api/v1/query?query=${encodeURIComponent('up == 1')}`);
  return seriesAnswer.parse(json).data.result.length;
}

/** Lists the queries that return no series for any service in the time of the drill. */
async function emptyQueries(url: string, queries: readonly DashboardQuery[], began: number): Promise<string[]> {
  const empty: string[] = [];
  for (const { panel, expr } of queries) {
    const texts = services.map(({ name }) =>
      expr.replaceAll('$service', name).replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m'),
    );
    let found = 0;
    for (const query of new Set(texts)) {
      const range = {
        query,
        start: String(began / 1_000),
        end: String(Date.now() / 1_000),
        step: String(STEP_SECONDS),
      };
      const { status, text, json } = await request(
        `${url}/api/v1/query_range?${new URLSearchParams(range).toString()}`,
      );
      if (status !== 200) throw new Error(`${panel}: ${query}: ${status} ${text}`);
      found += seriesAnswer.parse(json).data.result.length;
    }
    if (found === 0) empty.push(`${panel}: ${expr}`);
  }
  return empty;
}
