import { services } from '@esd/dev-stack/service-table';
import { z } from 'zod';
import { EXIT } from './admin-error.ts';
import type { Installation } from './installation.ts';
import type { Report } from './report.ts';
import { runServiceCommand } from './service-command.ts';

const consumerStatus = z.object({
  name: z.string(),
  waiting: z.optional(z.number()),
  unacknowledged: z.optional(z.number()),
  oldestSeconds: z.optional(z.number()),
  deadLetters: z.number(),
  deadLetterError: z.optional(z.string()),
});

/** The status of a process, see `GetStatusResponse` in proto/esd/common/v1/status.proto. */
const processStatus = z.object({
  version: z.string(),
  startedAt: z.string(),
  ready: z.boolean(),
  dependencies: z.array(z.object({ name: z.string(), up: z.boolean() })),
  warnings: z.array(z.string()),
  disks: z.array(z.object({ name: z.string(), usedRatio: z.number() })),
  databaseBytes: z.optional(z.number()),
  outbox: z.optional(z.object({ waiting: z.number(), oldestSeconds: z.optional(z.number()) })),
  events: z.optional(z.object({ consumers: z.array(consumerStatus) })),
  dataset: z.optional(z.object({ head: z.number(), held: z.optional(z.number()) })),
  unknown: z.array(z.string()),
  jobs: z.array(z.object({ name: z.string(), lastSuccess: z.string() })),
});

type ConsumerStatus = z.output<typeof consumerStatus>;

export interface Replica {
  service: string;
  name: string;
  /** Undefined if the process does not respond. */
  status: z.output<typeof processStatus> | undefined;
}

const LATE_SECONDS = 60;

/** The sections of docs/operations.md by their warnings, the causes before their effects. */
const SECTIONS = [
  { section: 'esdserviceabsent', warns: / is not running$/ },
  { section: 'esdtargetdown', warns: / does not respond$/ },
  { section: 'esddependencydown', warns: /: (?!.*-svc is down$).* is down$/ },
  { section: 'esddependencydown', warns: / is down$/ },
  { section: 'esdtargetdown', warns: / is not ready$/ },
  { section: 'esdconsumermissing', warns: / does not exist$/ },
  { section: 'esddeadletters', warns: / dead letters?$/ },
  { section: 'esdeventsdelayed', warns: / the oldest / },
  { section: 'esdindexbehind', warns: / its index is behind / },
  { section: 'esdcertificateexpires', warns: /: certificate: / },
  { section: 'esddiskfilling', warns: / % of .* is used$/ },
  { section: 'state-of-the-services', warns: /^/ },
] as const;

/** Reads the status of every replica of every service. Throws an AdminError if the installation is unreachable. */
export async function readStatus(installation: Installation): Promise<Replica[]> {
  const lists = await Promise.all(
    services.map(async ({ name: service }) => {
      const names = await installation.replicas(service);
      return Promise.all(
        names.map(async (name) => ({ service, name, status: await readReplica(installation, service, name) })),
      );
    }),
  );
  return lists.flat();
}

/** Reads the status of one replica of a service; undefined if it does not respond. */
export async function readReplica(
  installation: Installation,
  service: string,
  name?: string,
): Promise<Replica['status']> {
  const { result } = await runServiceCommand(installation, service, ['status'], name);
  return processStatus.safeParse(result).data;
}

export function eventStreamOf(replicas: readonly Replica[]): ConsumerStatus[] | undefined {
  return replicas.find(({ status }) => status?.events)?.status?.events?.consumers;
}

/** Reports the state of the whole installation on one screen. */
export async function statusReport(installation: Installation): Promise<Report> {
  const replicas = await readStatus(installation);
  const rank = (warning: string) => SECTIONS.findIndex(({ warns }) => warns.test(warning));
  const warnings = warningsOf(replicas).sort((a, b) => rank(a) - rank(b));
  const [first] = warnings;
  const next = first === undefined ? null : `docs/operations.md#${SECTIONS[rank(first)]?.section}`;
  const consumers = eventStreamOf(replicas);
  const head = headOf(replicas);
  const jobs = replicas.flatMap(({ service, status }) => (status?.jobs ?? []).map((job) => ({ service, ...job })));
  // Another replica may have run the job.
  const lastRuns = [...Map.groupBy(jobs, ({ service, name }) => `${service}: ${name}`)].map(([job, runs]) => {
    const last = Math.max(...runs.map(({ lastSuccess }) => Date.parse(lastSuccess)));
    return [job, `${duration((Date.now() - last) / 1000)} ago`];
  });
  const lines = [
    ...(warnings.length === 0 ? ['no warnings'] : ['WARNINGS', ...warnings.map((warning) => `  ${warning}`)]),
    '',
    ...table([
      ['PROCESS', 'STATE', 'VERSION', 'AGE', 'DATASET', 'OUTBOX', 'DATABASE', 'DISKS', 'DEPENDENCIES'],
      ...replicas.map(rowOf),
    ]),
    '',
    `dataset revision ${head === undefined ? 'unknown' : `${head} in the log`}`,
    '',
    ...consumerTable(consumers ?? []),
    '',
    ...table([['JOB', 'LAST RUN'], ...lastRuns]),
    ...(next === null ? [] : ['', `next: ${next}`]),
  ];
  return { json: { warnings, next, replicas }, lines, code: warnings.length === 0 ? EXIT.done : EXIT.notDone };
}

export function consumerTable(consumers: readonly ConsumerStatus[]): string[] {
  return table([
    ['CONSUMER', 'WAITING', 'OLDEST', 'DEAD LETTERS', 'ERROR OF THE OLDEST DEAD LETTER'],
    ...consumers.map(({ name, waiting, unacknowledged = 0, oldestSeconds, deadLetters, deadLetterError = '' }) => [
      name,
      waiting === undefined ? 'absent' : String(waiting + unacknowledged),
      duration(oldestSeconds),
      String(deadLetters),
      deadLetterError,
    ]),
  ]);
}

function rowOf({ name, status }: Replica): string[] {
  if (!status) return [name, 'AWAY'];
  const { ready, version, startedAt, dataset, outbox, databaseBytes, disks, dependencies } = status;
  return [
    name,
    ready ? 'READY' : 'NOT READY',
    version,
    duration((Date.now() - Date.parse(startedAt)) / 1000),
    dataset ? String(dataset.held ?? 'none') : '',
    outbox ? String(outbox.waiting) : '',
    // The gateway has no database.
    databaseBytes ? `${(databaseBytes / 1e6).toFixed(0)} MB` : '',
    disks.map((disk) => `${disk.name} ${(disk.usedRatio * 100).toFixed(0)} %`).join(', '),
    dependencies
      .toSorted((a, b) => Number(a.up) - Number(b.up))
      .map((one) => `${one.name} ${one.up ? 'up' : 'DOWN'}`)
      .join(', '),
  ];
}

/** Returns the newest dataset revision in the log; undefined if no replica reports it. */
function headOf(replicas: readonly Replica[]): number | undefined {
  const heads = replicas.flatMap(({ status }) => status?.dataset?.head ?? []);
  return heads.length === 0 ? undefined : Math.max(...heads);
}

/** Returns what needs attention, each with the name of the process. */
function warningsOf(replicas: readonly Replica[]): string[] {
  const absent = services.filter(({ name }) => !replicas.some(({ service }) => service === name));
  const head = headOf(replicas) ?? 0;
  const consumers = eventStreamOf(replicas);
  return [
    ...absent.map(({ name }) => `${name} is not running`),
    ...new Set(
      replicas.flatMap(({ name, status }) => {
        if (!status) return [`${name} does not respond`];
        const { ready, dependencies, warnings, outbox, dataset, unknown } = status;
        return [
          ...(ready ? [] : [`${name} is not ready`]),
          ...dependencies.filter(({ up }) => !up).map((one) => `${name}: ${one.name} is down`),
          // The gateway repeats the warnings of the services.
          ...warnings
            .filter((warning) => !services.some((one) => warning.startsWith(`${one.name}: `)))
            .map((warning) => `${name}: ${warning}`),
          ...(outbox && isLate(outbox)
            ? [`${name}: ${outbox.waiting} unpublished events, the oldest for ${duration(outbox.oldestSeconds ?? 0)}`]
            : []),
          ...(dataset && (dataset.held ?? 0) < head ? [`${name}: its index is behind dataset revision ${head}`] : []),
          ...unknown.map((part) => `${name} cannot determine: ${part}`),
        ];
      }),
    ),
    ...(consumers ?? []).flatMap((consumer) => [
      ...(consumer.waiting === undefined ? [`${consumer.name} does not exist`] : []),
      ...(isLate(consumer)
        ? [`${consumer.name}: the oldest event waits for ${duration(consumer.oldestSeconds ?? 0)}`]
        : []),
      ...(consumer.deadLetters > 0
        ? [`${consumer.name}: ${consumer.deadLetters} dead letter${consumer.deadLetters === 1 ? '' : 's'}`]
        : []),
    ]),
  ];
}

function isLate({ oldestSeconds = 0 }: { oldestSeconds?: number | undefined }): boolean {
  return oldestSeconds >= LATE_SECONDS;
}

/** Returns a rounded duration, or an empty text without one. */
export function duration(seconds: number | undefined): string {
  if (seconds === undefined) return '';
  if (seconds < 120) return `${seconds.toFixed(0)} s`;
  if (seconds < 7_200) return `${(seconds / 60).toFixed(0)} min`;
  return seconds < 172_800 ? `${(seconds / 3_600).toFixed(0)} h` : `${(seconds / 86_400).toFixed(0)} d`;
}

/** Aligns the cells of a table; the first row is its head. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
