import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { array, member, text } from './json-value.ts';
import { isTemporary, PatientClient, refused } from './patient-client.ts';
import { root } from './stack/root.ts';
import { StackError } from './stack/stack-error.ts';
import { writeFileSafely } from './stack/write-file.ts';

/** How long the system may be away while one submission is sent. */
const awayMs = 120_000;
const againMs = 500;
/** Time for approved records to become public. */
const publicWithinMs = 60_000;
const lookAgainMs = 25;

export interface DemoOptions {
  /** Root of the public interface. */
  url: string;
  /** Folder of `admin.json`. */
  dataDir: string;
  signal: AbortSignal;
  /** Takes one line for the person at the terminal. */
  say: (line: string) => void;
}

/** The submissions of the demo: bodies of `POST /data/submit`, and how many records stand before each. */
interface Demo {
  bodies: string[];
  starts: number[];
  total: number;
}

/**
 * Loads the demo dataset through the public interface alone: an admin, whose credentials are kept in `admin.json`; the
 * submissions, in order; their approval. Every step asks the interface how far it is, so that an import that was interrupted
 * anywhere goes on, and a finished one does nothing. A store that is in other use is left alone, with a line that says so.
 * Throws a StackError when the system refuses a step, or is away for long.
 */
export async function importDemo({ url, dataDir, signal, say }: DemoOptions): Promise<void> {
  const demo = readDemo();
  const client = new PatientClient(url, signal);
  if ((await publicTotal(client)) >= demo.total) return;
  if (!(await signInAsAdmin(client, join(dataDir, 'admin.json')))) {
    say('the store has an admin of its own: the demo is not imported');
    return;
  }
  if (!(await submitAll(client, demo))) {
    say('the store has records of its own: the demo is not imported');
    return;
  }
  say(`${demo.total} experiments submitted`);
  await approveAll(client, demo);
  say(`${demo.total} experiments approved`);
  const deadline = Date.now() + publicWithinMs;
  while ((await publicTotal(client)) < demo.total) {
    if (Date.now() > deadline) throw new StackError(`Not all records are public after ${publicWithinMs / 1000} s.`);
    await sleep(lookAgainMs);
  }
  say(`${demo.total} experiments public`);
}

function readDemo(): Demo {
  const bodies = readFileSync(join(root, 'demo', 'submissions.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  let total = 0;
  const starts = bodies.map((body) => {
    const start = total;
    total += array(member(JSON.parse(body), 'experimentData')).length;
    return start;
  });
  return { bodies, starts, total };
}

/** Makes the first admin, or signs in as the one that an earlier start made; false when the store has another one. */
async function signInAsAdmin(client: PatientClient, file: string): Promise<boolean> {
  const isNew = !existsSync(file);
  if (isNew) {
    // On disk before it is used: if the only password were lost, nobody could ever be admin.
    const credentials = { email: 'admin@esd.example', password: randomBytes(18).toString('base64url') };
    writeFileSafely(file, `${JSON.stringify(credentials)}\n`);
  }
  const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const credentials = { email: text(member(kept, 'email')), password: text(member(kept, 'password')) };
  const created = await client.send('POST', '/auth/admin/create', JSON.stringify({ ...credentials, name: 'Admin' }));
  if (created.status !== 201 && created.status !== 403) throw refused('POST', '/auth/admin/create', created);
  if (await client.signIn(credentials)) return true;
  if (isNew) rmSync(file);
  return false;
}

/** Submits, in order, what is not stored yet; false when the admin has other records than the demo's 1, 2, 3, … */
async function submitAll(client: PatientClient, { bodies, starts, total }: Demo): Promise<boolean> {
  let stored = await storedRecords(client, total);
  let deadline = Date.now() + awayMs;
  while (stored < total) {
    // A submission is stored whole or not at all, so the number of records tells which one is next.
    const next = starts.indexOf(stored);
    if (next < 0) return false;
    const answer = await client.sendOnce('POST', '/data/submit', bodies[next]);
    if (answer.status === 201) {
      stored = starts[next + 1] ?? total;
      deadline = Date.now() + awayMs;
    } else if (isTemporary(answer) && Date.now() < deadline) {
      await sleep(againMs);
      stored = await storedRecords(client, total);
    } else {
      throw refused('POST', '/data/submit', answer);
    }
  }
  return (await storedRecords(client, total)) === total;
}

/** How many of the records 1 to `total` the admin has; -1 when some before them are missing. */
async function storedRecords(client: PatientClient, total: number): Promise<number> {
  const ids = await ownRecordIds(client, total, '');
  return ids.every((id, index) => id === index + 1) ? ids.length : -1;
}

/** Approves all that wait, in one request; one whose answer was lost finds nothing left to approve. */
async function approveAll(client: PatientClient, { total }: Demo): Promise<void> {
  const waiting = (): Promise<number[]> => ownRecordIds(client, total, '?status=PENDING');
  const recordIds = await waiting();
  if (recordIds.length === 0) return;
  const answer = await client.send('POST', '/moderation/approve', JSON.stringify({ recordIds }));
  if (answer.status === 200 || (answer.status === 409 && (await waiting()).length === 0)) return;
  throw refused('POST', '/moderation/approve', answer);
}

async function ownRecordIds(client: PatientClient, upTo: number, query: string): Promise<number[]> {
  const answer = await client.send('GET', `/data/my-records/ids${query}`);
  if (answer.status !== 200) throw refused('GET', '/data/my-records/ids', answer);
  return array(answer.body)
    .map(Number)
    .filter((id) => id <= upTo);
}

async function publicTotal(client: PatientClient): Promise<number> {
  const answer = await client.send('GET', '/public/dataset?limit=1');
  if (answer.status !== 200) throw refused('GET', '/public/dataset', answer);
  return Number(member(answer.body, 'total'));
}
