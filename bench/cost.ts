import { setTimeout as sleep } from 'node:timers/promises';
import { services } from '@esd/dev-stack/service-table';
import { request } from '@esd/testing/http';
import type { TestStack, TestStackOptions } from '@esd/testing/stack';
import type { Bench } from './bench.ts';
import { createKinds, type Kind, mixOf } from './cost-requests.ts';
import { quantile } from './load.ts';
import { stepAtKnee } from './open-loop.ts';
import { sendOnce, type Sent } from './open-loop-request.ts';
import { paced } from './paced.ts';
import { processorTime } from './process-cost.ts';
import type { Part, Row } from './report.ts';

/** Processor seconds by service, summed over its replicas. */
type Seconds = ReadonlyMap<string, number>;

interface Cost {
  /** Per request. */
  seconds: Seconds;
  requests: number;
  /** Requests per second. */
  rate: number;
}

const LONGEST_SECONDS = 120;
// In a shorter time, what the processes do at rest is a large part of the cost of a cached page.
const SHORTEST_SECONDS = 10;
const SHORT_SECONDS = 30;
const FEWEST = 3;
const GIVE_UP_MS = 120_000;
const IDLE_MS = 15_000;
const SETTLED_MS = 2_000;
const WARM_UP_SECONDS = 10;
const SERIES_SECONDS = 3;
const MAX_RATE = 3_200;
const LOWEST_RATE = 0.01;
// The knee requires a p99 of 500 ms, which slower requests do not reach on shared cores.
const SLOW_SECONDS = 0.1;
const REPLICA_MOST = 1.15;
const POSTGRES = 'PostgreSQL';

/** Returns the options of a stack with this number of replicas of each service. Passwords have the default cost. */
export function costStack(replicas: number): TestStackOptions {
  return {
    replicas: Object.fromEntries(services.map(({ name }) => [name, replicas])),
    env: { ESD_PASSWORD_MEMORY_KIB: '19456', ESD_PASSWORD_PASSES: '2', ESD_UNATTACHED_CLIENT_MB: '100000' },
  };
}

/** Measures the processor time of requests by service, less the time at rest. The first stack determines the rates. Linux only. */
export class RequestCosts {
  readonly #first = new Map<string, Cost>();
  readonly #requests: number;

  constructor(requests: number) {
    this.#requests = requests;
  }

  /** Measures each kind of request on a new stack. */
  async measure(bench: Bench, replicas: number): Promise<Part> {
    const part: Part = {
      title: `Cost of a request, ${bench.dataset.size()} records, ${replicas} of each process`,
      notes: ['CPU milliseconds per request at half the rate of the knee, without the time at rest.'],
      rows: [],
      targets: [],
    };
    const kinds = await createKinds(bench);
    const atRest = await secondsAtRest(bench.stack);
    for (const [name, kind] of Object.entries(kinds)) {
      const rate = this.#first.get(name)?.rate ?? (await halfOfKnee(bench.stack, kind));
      const cost = await costOf(bench.stack, kind, { rate, atRest, requests: this.#requests, replicas });
      const first = this.#first.get(name) ?? cost;
      this.#first.set(name, first);
      const ratio = sum(cost.seconds) / sum(first.seconds);
      part.rows.push({ request: name, ...columns(cost), 'of the first': ratio });
      console.error(JSON.stringify(part.rows.at(-1)));
      const what = `${name}, ${replicas} of each process: sum, relative to the first stack`;
      if (first !== cost) part.targets.push({ what, measured: ratio, atMost: REPLICA_MOST });
    }
    return part;
  }

  /** Predicts the cost of a mix from the measured costs, then measures the mix on a new stack. */
  async checkMix(bench: Bench): Promise<Part> {
    const kinds = await createKinds(bench);
    const predicted = new Map<string, number>();
    let secondsPerRequest = 0;
    for (const [name, { share }] of Object.entries(kinds)) {
      const cost = this.#first.get(name);
      if (cost === undefined) throw new Error(`The cost of "${name}" is not measured yet.`);
      secondsPerRequest += share / 100 / cost.rate;
      for (const [service, own] of cost.seconds)
        predicted.set(service, (predicted.get(service) ?? 0) + (share / 100) * own);
    }
    const atRest = await secondsAtRest(bench.stack);
    for (const kind of Object.values(kinds)) await oneByOne(bench.stack, kind);
    const mix = { rate: 1 / secondsPerRequest, atRest, requests: this.#requests, replicas: 1 };
    const measured = await costOf(bench.stack, mixOf(kinds, bench.seed), mix);
    return {
      title: `A predicted mix, ${bench.dataset.size()} records`,
      notes: [
        `Of 100 requests: ${Object.entries(kinds)
          .map(([name, { share }]) => `${share} ${name}`)
          .join(', ')}.`,
      ],
      rows: [
        { mix: 'predicted', ...columns({ ...measured, seconds: predicted }) },
        { mix: 'measured', ...columns(measured), 'error %': (sum(predicted) / sum(measured.seconds) - 1) * 100 },
      ],
      targets: [],
    };
  }
}

interface Measured {
  /** Requests per second. */
  rate: number;
  atRest: Seconds;
  requests: number;
  /** Number of replicas of each service. */
  replicas: number;
}

async function costOf(stack: TestStack, kind: Kind, measured: Measured): Promise<Cost> {
  const { rate, atRest, requests, replicas } = measured;
  const isLong = requests / rate > LONGEST_SECONDS;
  const wanted = isLong
    ? Math.max(FEWEST, Math.round(rate * SHORT_SECONDS))
    : Math.max(requests, Math.ceil(rate * SHORTEST_SECONDS));
  // Until each replica has compiled its code, which takes the first thousands of short requests.
  await send(stack, kind, rate, Math.ceil(rate * WARM_UP_SECONDS * replicas));
  await kind.prepare?.(wanted);
  await sleep(SETTLED_MS);
  const { used, wallSeconds, result } = await secondsDuring(stack, async () => {
    const results = await send(stack, kind, rate, wanted);
    // Until the events of the requests are processed.
    await sleep(SETTLED_MS);
    return results;
  });
  const failed = result.filter((sent) => !isOk(sent));
  if (failed.length > result.length / 100) {
    console.error(`${failed.length} of ${result.length} requests failed at ${rate}/s: ${JSON.stringify(failed[0])}`);
    if (rate < LOWEST_RATE) throw new Error('The system is too busy for this measurement.');
    return costOf(stack, kind, { ...measured, rate: rate / 2 });
  }
  const perRequest = [...used].map(([service, own]): [string, number] => [
    service,
    (own - wallSeconds * (atRest.get(service) ?? 0)) / result.length,
  ]);
  return { seconds: new Map(perRequest), requests: result.length, rate };
}

/** Sends requests at a rate, each on a new connection, to each gateway in turn. */
async function send(stack: TestStack, kind: Kind, rate: number, requests: number): Promise<Sent[]> {
  await kind.prepare?.(requests);
  const ports = Object.values(stack.addresses).flatMap((at) =>
    at['public'] === undefined ? [] : [Number(new URL(at['public']).port)],
  );
  const to = (number: number) => ({ host: '127.0.0.1', port: ports[number % ports.length] ?? 0, giveUpMs: GIVE_UP_MS });
  const { results } = await paced(requests, rate, (number, dueAt) =>
    sendOnce({ ...to(number), ...kind.next(), dueAt }),
  );
  return results;
}

/** Sends up to 20 requests in sequence, for at most 5 s. Returns the median of their seconds. */
async function oneByOne(stack: TestStack, kind: Kind): Promise<number> {
  const sent: Sent[] = [];
  for (const until = performance.now() + 5_000; sent.length === 0 || (sent.length < 20 && performance.now() < until);)
    sent.push(...(await send(stack, kind, MAX_RATE, 1)));
  if (!sent.every(isOk)) throw new Error(`A request failed: ${JSON.stringify(sent)}`);
  return quantile(sortedMs(sent), 0.5) / 1000;
}

/** Returns half the rate of the knee; for requests of more than 100 ms, half the rate of requests in sequence. */
async function halfOfKnee(stack: TestStack, kind: Kind): Promise<number> {
  const alone = await oneByOne(stack, kind);
  if (alone > SLOW_SECONDS) return 0.5 / alone;
  const knee = await stepAtKnee(0.25 / alone, MAX_RATE, async (rate) => {
    const results = await send(stack, kind, rate, Math.ceil(rate * SERIES_SECONDS));
    const ok = results.filter(isOk);
    return { offered: rate, answered: (rate * ok.length) / results.length, p99: quantile(sortedMs(ok), 0.99) };
  });
  return knee.offered / 2;
}

/** Returns the processor seconds of each service while `work` runs. Those of PostgreSQL are from /proc. */
async function secondsDuring<Result>(stack: TestStack, work: () => Promise<Result>) {
  const started = performance.now();
  const before = await secondsSoFar(stack);
  const result = await work();
  const after = await secondsSoFar(stack);
  const used: Seconds = new Map([...after].map(([service, own]) => [service, own - (before.get(service) ?? 0)]));
  return { used, wallSeconds: (performance.now() - started) / 1000, result };
}

async function secondsSoFar(stack: TestStack): Promise<Seconds> {
  const seconds = new Map<string, number>();
  for (const [name, { http }] of Object.entries(stack.addresses)) {
    const { text } = await request(`${http}/metrics`);
    const service = name.replace(/-\d+$/, '');
    const own = Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]);
    seconds.set(service, (seconds.get(service) ?? 0) + own);
  }
  return seconds.set(POSTGRES, ((await processorTime(stack)).get(POSTGRES) ?? NaN) / 1000);
}

/** Returns the processor seconds per second without requests. */
async function secondsAtRest(stack: TestStack): Promise<Seconds> {
  await sleep(SETTLED_MS);
  const { used, wallSeconds } = await secondsDuring(stack, () => sleep(IDLE_MS));
  return new Map([...used].map(([service, own]) => [service, own / wallSeconds]));
}

function columns({ seconds, requests, rate }: Cost): Row {
  const behind = [...seconds].filter(([service]) => service !== 'gateway' && service !== POSTGRES);
  const whole = sum(new Map(behind));
  const main = behind.filter(([, own]) => own > whole / 20).sort(([, a], [, b]) => b - a);
  return {
    requests,
    'rate/s': rate,
    gateway: (seconds.get('gateway') ?? NaN) * 1000,
    'services that take 5 %': main
      .map(([service, own]) => `${service} ${Number((own * 1000).toPrecision(3))}`)
      .join(', '),
    PostgreSQL: (seconds.get(POSTGRES) ?? NaN) * 1000,
    sum: sum(seconds) * 1000,
  };
}

function sum(seconds: Seconds): number {
  return [...seconds.values()].reduce((total, own) => total + own, 0);
}

function isOk({ status }: Sent): boolean {
  return status >= 200 && status < 300;
}

function sortedMs(results: readonly Sent[]): number[] {
  return results.map(({ ms }) => ms).sort((a, b) => a - b);
}
