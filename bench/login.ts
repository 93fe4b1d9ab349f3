import { request } from '@esd/testing/http';
import { quantile } from './load.ts';
import type { Part, Row } from './report.ts';
import { timesOf } from './times-of.ts';

export interface LoginBench {
  url: string;
  /** Accounts with the same password. */
  emails: readonly string[];
  password: string;
  bearer: string;
  rounds: number;
}

const AT_ONCE = 20;
const WRONG = 1_000;

async function login(url: string, email: string, password: string, status: number): Promise<void> {
  const answer = await request(`${url}/auth/login`, { method: 'POST', body: { email, password } });
  if (answer.status !== status) throw new Error(`login: ${answer.status} ${answer.text}`);
}

const columns = (times: readonly number[]): Row => ({
  calls: times.length,
  'p50 ms': quantile(times, 0.5),
  'p99 ms': quantile(times, 0.99),
});

/** Measures concurrent logins, and failed logins with known and unknown addresses. */
export async function logins({ url, emails, password, rounds }: LoginBench): Promise<Part> {
  const emailOf = (number: number): string => emails[number % emails.length] ?? '';
  const right = (number: number) => login(url, emailOf(number), password, 200);
  await timesOf(AT_ONCE, 4, right);
  const rows: Row[] = [
    { what: 'in sequence', ...columns(await timesOf(rounds * 20, 1, right)) },
    { what: `${AT_ONCE} concurrent`, ...columns(await timesOf(rounds * 100, AT_ONCE, right)) },
  ];
  // Alternating, so that other load of the machine affects both equally; few enough that none is throttled.
  const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
  for (let number = 0; number < Math.min(20, emails.length); number += 1) {
    for (const kind of ['known', 'unknown'] as const) {
      const email = kind === 'known' ? emailOf(number) : `unknown-${number}@example.org`;
      const started = performance.now();
      await login(url, email, 'wrong horse battery', 401);
      times[kind].push(performance.now() - started);
      // Resets the failure count of the address.
      if (kind === 'known') await login(url, email, password, 200);
    }
  }
  for (const [kind, all] of Object.entries(times)) {
    rows.push({ what: `wrong password, ${kind} address`, ...columns(all.sort((a, b) => a - b)) });
  }
  return { title: 'Logins', notes: ['Argon2id with the default cost.'], rows, targets: [] };
}

/** Measures reads and logins of other accounts during at least 1,000 failed logins in a row. */
export async function guessing({ url, emails, password, bearer, rounds }: LoginBench): Promise<Part> {
  const own = () => request(`${url}/auth/me`, { bearer });
  const others = (number: number) => login(url, emails[number % emails.length] ?? '', password, 200);
  const guessed = 'guessed@example.org';
  const statuses = new Map<number, number>();
  const guess = async (): Promise<void> => {
    const body = { email: guessed, password: 'wrong horse battery' };
    const { status } = await request(`${url}/auth/login`, { method: 'POST', body });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  const measure = async () => ({
    reads: await timesOf(rounds * 100, 2, own),
    logins: await timesOf(rounds * 20, 1, others),
  });
  await timesOf(100, 2, own);
  const alone = await measure();
  let guesses = 0;
  let done = false;
  const attack = (async () => {
    while (guesses < WRONG || !done) {
      guesses += 1;
      await guess();
    }
  })();
  const duringAttack = await measure();
  done = true;
  await attack;
  const rows: Row[] = (['reads', 'logins'] as const).flatMap((what) => [
    { what: `${what} of others, alone`, ...columns(alone[what]) },
    { what: `${what} of others, during the attack`, ...columns(duringAttack[what]) },
  ]);
  const answered = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  const ratio = quantile(duringAttack.reads, 0.5) / quantile(alone.reads, 0.5);
  const ofLogins = quantile(duringAttack.logins, 0.5) / quantile(alone.logins, 0.5);
  return {
    title: 'Password guessing',
    notes: [
      `${guesses} failed logins without a pause, from the same IP address as the others, without rate limits: ${answered}.`,
    ],
    rows,
    targets: [
      { what: 'p50 of reads of others during the attack, relative to alone', measured: ratio, atMost: 2 },
      { what: 'p50 of logins of others during the attack, relative to alone', measured: ofLogins, atMost: 2 },
    ],
  };
}
