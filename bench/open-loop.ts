import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import { smallRecord } from '@esd/testing/records';
import type { TestStack } from '@esd/testing/stack';
import { quantile } from './load.ts';
import { firstAdmin } from './first-admin.ts';
import { sendOnce, type Sent } from './open-loop-request.ts';
import type { Order, SenderReport } from './open-loop-sender.ts';
import type { Part, Row } from './report.ts';

/** The result of one rate. Times are in milliseconds from the moment a request was due. */
export interface Step {
  name: string;
  /** Requests per second that were sent in time. */
  offered: number;
  /** Requests that the generator could not send within 100 ms. */
  skipped: number;
  /** 200 responses per second within 2 s. */
  answered: number;
  /** 503 responses per second with Retry-After. */
  refused: number;
  /** The number of these responses. */
  refusals: number;
  /** Requests without a response within 2 s. */
  gaveUp: number;
  /** Responses with another status, without Retry-After, truncated ones, and failed connections. */
  wrong: number;
  p50: number;
  p99: number;
  /** p99 of the 503 responses. */
  refusalP99: number;
  healthP99: number;
  /** Failed requests to /health. */
  healthFailed: number;
  decisions: number;
  decisionsFailed: number;
  /** Highest resident memory of the gateway, in MB. */
  gatewayMb: number;
  /** Share of the machine that the generator took, 0 to 1. */
  generatorShare: number;
}

export interface OverloadFigures {
  /** Requests per second. */
  knee: number;
  steps: Step[];
  /** The steps of the closed loop, at 0.8 of the knee, half the knee, the knee, twice and five times the knee, and at half the knee 5 s later. */
  closed: Step;
  belowKnee: Step;
  before: Step;
  atKnee: Step;
  atTwice: Step;
  atFive: Step;
  after: Step;
}

/** A running system, and an administrator of it. */
export interface OverloadTarget {
  url: string;
  /** The process of the gateway at `url`. */
  gatewayPid: number;
  bearer: string;
}

export interface OverloadOptions {
  /** First rate of the doubling series, in requests per second. */
  firstRate?: number;
  /** The highest rate of the doubling series. */
  maxRate?: number;
  seriesSeconds?: number;
  overloadSeconds?: number;
  say?: (line: string) => void;
}

const SENDERS = 2;
const GIVE_UP_MS = 2_000;
const KNEE_SHARE = 0.99;
const KNEE_P99_MS = 500;
const HEALTH_PER_SECOND = 10;
// A decision has as long as the gateway gives a write.
const DECISION_MS = 30_000;
const CLIENTS = 64;
const RECOVERY_MS = 5_000;
const MAX_RECORDS = 1_000;

const senderReport = z.object({
  skipped: z.int(),
  cpuSeconds: z.number(),
  results: z.array(
    z.object({
      status: z.int(),
      ms: z.number(),
      retryAfter: z.boolean(),
      failure: z.enum(['none', 'gave up', 'truncated', 'connection']),
    }),
  ),
});

/**
 * Measures overload with an open loop: each request is sent when it is due, on a new connection, with a filter that never
 * repeats. Finds the knee with a doubling series, then offers 0.8 of it, twice and five times as much, and checks the recovery. A
 * closed loop of 64 clients, each with one request at a time, runs before. Requests to /health and one decision of a moderator per second run at the same time. Linux only.
 */
export async function measureOverload(target: OverloadTarget, options: OverloadOptions = {}): Promise<OverloadFigures> {
  const { firstRate = 100, maxRate = 6_400, seriesSeconds = 5, overloadSeconds = 20, say = () => undefined } = options;
  const senders = Array.from({ length: SENDERS }, () =>
    fork(join(import.meta.dirname, 'open-loop-sender.ts'), { serialization: 'advanced' }),
  );
  try {
    const decide = await decisions(target);
    const steps: Step[] = [];
    const step = async (name: string, rate: number, seconds: number, clients = 0): Promise<Step> => {
      const result = await offer(senders, target, { name, rate, seconds, clients, decide });
      steps.push(result);
      say(JSON.stringify(result));
      return result;
    };
    // Until the processes have compiled their code.
    for (const rate of [firstRate, 2 * firstRate, 4 * firstRate]) await step('warm-up', rate, seriesSeconds);
    const closed = await step('closed loop', 0, overloadSeconds, CLIENTS);
    const atKnee = await stepAtKnee(firstRate, maxRate, (rate) => step('series', rate, seriesSeconds));
    const knee = Math.round(atKnee.offered);
    await sleep(RECOVERY_MS);
    const belowKnee = await step('0.8 × knee', 0.8 * knee, overloadSeconds);
    const before = await step('half the knee', knee / 2, seriesSeconds);
    const atTwice = await step('2 × knee', 2 * knee, overloadSeconds);
    await sleep(RECOVERY_MS);
    const atFive = await step('5 × knee', 5 * knee, overloadSeconds);
    await sleep(RECOVERY_MS);
    const after = await step('half the knee, 5 s later', knee / 2, seriesSeconds);
    return { knee, steps, closed, belowKnee, before, atKnee, atTwice, atFive, after };
  } finally {
    for (const sender of senders) sender.kill();
  }
}

/** Returns the step at the knee: the last step of a doubling series in which 99 % of the requests get 200, with a p99 of at most 500 ms. */
export async function stepAtKnee<Result extends Pick<Step, 'offered' | 'answered' | 'p99'>>(
  firstRate: number,
  maxRate: number,
  step: (rate: number) => Promise<Result>,
): Promise<Result> {
  let atKnee: Result | undefined;
  for (let rate = firstRate; rate <= maxRate; rate *= 2) {
    const result = await step(rate);
    if (result.answered >= KNEE_SHARE * result.offered && result.p99 <= KNEE_P99_MS) atKnee = result;
    // One failure can be a disturbance of the machine.
    else if (rate > 2 * (atKnee?.offered ?? firstRate)) break;
  }
  if (!atKnee) throw new Error(`The system does not serve ${firstRate} requests per second. Start with a lower rate.`);
  return atKnee;
}

interface Rate {
  name: string;
  rate: number;
  seconds: number;
  /** Clients of a closed loop; 0 for an open loop. */
  clients: number;
  decide: Decide;
}

let series = 0;

async function offer(
  senders: readonly ChildProcess[],
  { url, gatewayPid }: OverloadTarget,
  { name, rate, seconds, clients, decide }: Rate,
): Promise<Step> {
  const at = { ...(await addressOf(url)), giveUpMs: GIVE_UP_MS };
  const started = performance.now();
  const cpu = process.cpuUsage();
  const reports = senders.map(async (sender): Promise<SenderReport> => {
    series += 1;
    const [share, clientsOfSender] = [rate / senders.length, clients / senders.length];
    sender.send({ ...at, rate: share, clients: clientsOfSender, seconds, seed: series } satisfies Order);
    const message: unknown[] = await once(sender, 'message', { signal: AbortSignal.timeout(seconds * 1000 + 60_000) });
    return senderReport.parse(message[0]);
  });
  const health: Promise<Sent>[] = [];
  const decided: Promise<Sent>[] = [];
  let memory = 0;
  for (let tick = 0; tick < seconds * HEALTH_PER_SECOND; tick += 1) {
    const dueAt = started + (tick * 1000) / HEALTH_PER_SECOND;
    await sleep(Math.max(0, dueAt - performance.now()));
    health.push(sendOnce({ ...at, path: '/health', dueAt, giveUpMs: DECISION_MS }));
    if (tick % HEALTH_PER_SECOND === 0) decided.push(decide(dueAt));
    memory = Math.max(memory, await residentMb(gatewayPid));
  }
  const all = await Promise.all(reports);
  const [checks, decisionResults] = await Promise.all([Promise.all(health), Promise.all(decided)]);
  const wallSeconds = (performance.now() - started) / 1000;
  const own = process.cpuUsage(cpu);
  const cpuSeconds = all.reduce((sum, report) => sum + report.cpuSeconds, (own.user + own.system) / 1e6);
  const results = all.flatMap((report) => report.results);
  const ok = results.filter(({ status }) => status === 200);
  const refused = results.filter(({ status, retryAfter }) => status === 503 && retryAfter);
  const gaveUp = results.filter(({ failure }) => failure === 'gave up').length;
  const times = sortedMs(ok);
  return {
    name,
    offered: results.length / seconds,
    skipped: all.reduce((sum, report) => sum + report.skipped, 0),
    answered: ok.length / seconds,
    refused: refused.length / seconds,
    refusals: refused.length,
    gaveUp,
    wrong: results.length - ok.length - refused.length - gaveUp,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    refusalP99: quantile(sortedMs(refused), 0.99),
    healthP99: quantile(sortedMs(checks), 0.99),
    healthFailed: checks.filter(({ status }) => status !== 200).length,
    decisions: decisionResults.length,
    decisionsFailed: decisionResults.filter(({ status }) => status !== 200).length,
    gatewayMb: memory,
    generatorShare: cpuSeconds / wallSeconds / availableParallelism(),
  };
}

/** Resolves the name once, because a lookup for each request would delay the requests. */
async function addressOf(url: string): Promise<{ host: string; port: number }> {
  const { hostname, port } = new URL(url);
  return { host: (await lookup(hostname, { family: 4 })).address, port: Number(port) };
}

function sortedMs(results: readonly Sent[]): number[] {
  return results.map(({ ms }) => ms).sort((a, b) => a - b);
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

type Decide = (dueAt: number) => Promise<Sent>;

/** Submits records and returns the function that approves one of them. */
async function decisions({ url, bearer }: OverloadTarget): Promise<Decide> {
  const body = { experimentData: Array.from({ length: MAX_RECORDS }, () => smallRecord) };
  const { json } = await request(`${url}/data/submit`, { method: 'POST', body, bearer });
  const { records } = z.object({ records: z.array(z.object({ recordId: z.int() })) }).parse(json);
  const at = await addressOf(url);
  let next = 0;
  return (dueAt) => {
    const recordId = records[next++]?.recordId;
    if (recordId === undefined) throw new Error(`All ${MAX_RECORDS} records are approved.`);
    const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' };
    return sendOnce({
      ...{ ...at, method: 'POST', path: `/moderation/records/${recordId}/approve` },
      ...{ headers, body: '{}', dueAt, giveUpMs: DECISION_MS },
    });
  };
}

/** Measures overload on the stack of the benchmark. */
export async function overload(stack: Pick<TestStack, 'url' | 'pid'>): Promise<Part> {
  const gatewayPid = stack.pid('gateway');
  if (gatewayPid === undefined) throw new Error('The gateway is not running.');
  const { token: bearer } = await firstAdmin(stack.url);
  return overloadPart(await measureOverload({ url: stack.url, gatewayPid, bearer }, { say: console.error }));
}

/** Returns the figures as a part of the report, with the objectives of docs/limits.md. */
export function overloadPart({
  knee,
  steps,
  closed,
  belowKnee,
  before,
  atKnee,
  atTwice,
  atFive,
  after,
}: OverloadFigures): Part {
  const targets: Part['targets'] = [closed, belowKnee].map(({ name, refusals }) => ({
    what: `${name}: 503`,
    measured: refusals,
    atMost: 0,
  }));
  for (const step of [atTwice, atFive]) {
    const sent = Math.round(step.offered);
    targets.push(
      {
        what: `${step.name}: share of the answers at the knee`,
        measured: step.answered / atKnee.answered,
        atLeast: 0.8,
      },
      { what: `${step.name}: p99 of 200, ms`, measured: step.p99, atMost: 1_000 },
      { what: `${step.name}: neither 200 nor 503, of ${sent}/s`, measured: step.gaveUp + step.wrong, atMost: 0 },
      { what: `${step.name}: p99 of /health, ms`, measured: step.healthP99, atMost: 1_000 },
      { what: `${step.name}: failed decisions, of ${step.decisions}`, measured: step.decisionsFailed, atMost: 0 },
      { what: `${step.name}: memory of the gateway, MB`, measured: step.gatewayMb, atMost: 350 },
    );
  }
  targets.push({
    what: '5 s later: p99 of 200, relative to the p99 before the overload',
    measured: after.p99 / before.p99,
    atMost: 2,
  });
  return {
    title: `Overload, knee ${knee} requests/s`,
    notes: [
      'Open loop of pages that were never requested before: new connection for each request, times from the moment a request was due, gives up after 2 s.',
      'At the same time 10 requests per second to /health on new connections and one decision per second.',
    ],
    rows: steps.filter(({ name }) => name !== 'warm-up').map(stepRow),
    targets,
  };
}

function stepRow(step: Step): Row {
  return {
    rate: step.name,
    'offered/s': Math.round(step.offered),
    'not sent': step.skipped,
    '200/s': Math.round(step.answered),
    '503/s': Math.round(step.refused),
    '503': step.refusals,
    'gave up': step.gaveUp,
    wrong: step.wrong,
    'p50 ms': step.p50,
    'p99 ms': step.p99,
    '503 p99 ms': step.refusalP99,
    '/health p99 ms': step.healthP99,
    decisions: `${step.decisions - step.decisionsFailed}/${step.decisions}`,
    'gateway MB': Math.round(step.gatewayMb),
    generator: `${Math.round(step.generatorShare * 100)} %`,
  };
}
