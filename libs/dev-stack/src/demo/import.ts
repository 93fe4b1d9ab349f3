import { signInAsAdmin, signInAsContributor } from './accounts.ts';
import { array, member } from '../json-value.ts';
import { isTemporary, RetryingClient, refused } from '../retrying-client.ts';
import { StackError } from '../stack-error.ts';
import { lacksDemoFacts, setDemoFacts } from './facts.ts';
import { readDemoSubmissions } from './submissions.ts';

/** How long the system may be away while one submission is sent. */
const awayMs = 120_000;
const againMs = 500;
/** Time for approved records to become public. */
const publicWithinMs = 60_000;
const lookAgainMs = 100;
/** The version that is frozen of the demo. */
const version = 'v1.0.0';
const versionDescription = 'The 809 published experiments with which this service comes.';
/** Time for the files of the version to be built and stored. */
const frozenWithinMs = 120_000;
/** Papers are submitted together up to about this many records, so that the limit of submissions a minute is hardly touched. */
const recordsAtOnce = 100;

export interface DemoOptions {
  /** Root of the public interface. */
  url: string;
  /** Folder of `admin.json`, `contributor.json` and of the mail. */
  dataDir: string;
  /** Needed to make the admin where the system asks for one. */
  bootstrapToken?: string | undefined;
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
 * Loads the demo dataset through the public interface alone: an admin and a contributor, whose credentials are kept in
 * `admin.json` and `contributor.json`; the contributor's submissions, in order; their approval by the admin; and the version v1.0.0 of them, with what `demo/dataset.json` says of the demo. Every step asks the
 * interface how far it is, so that an import that was interrupted anywhere goes on, and a finished one does nothing. A store that
 * is in other use is left alone, with a line that says so. Throws a StackError when the system refuses a step, or is away for long.
 */
export async function importDemo({ url, dataDir, bootstrapToken, signal, say }: DemoOptions): Promise<void> {
  const demo = readDemo();
  const admin = new RetryingClient(url, signal);
  const found = await publicTotal(admin);
  const frozen = await findRelease(admin);
  if (found > demo.total || (found === demo.total && frozen)) {
    if (frozen?.description !== versionDescription || !(await lacksDemoFacts(admin, version))) return;
    if (await signInAsAdmin(admin, dataDir, bootstrapToken)) await setDemoFacts(admin, frozen.id);
    else say(`the store has an admin of its own: version ${version} keeps what it says of its dataset`);
    return;
  }
  if (!(await signInAsAdmin(admin, dataDir, bootstrapToken))) {
    say('the store has an admin of its own: the demo is not imported');
    return;
  }
  const contributor = new RetryingClient(url, signal);
  await signInAsContributor(contributor, dataDir);
  if (!(await submitAll(contributor, demo))) {
    say('the store has records of its own: the demo is not imported');
    return;
  }
  say(`${demo.total} experiments submitted`);
  await approveAll(contributor, admin, demo);
  say(`${demo.total} experiments approved`);
  const deadline = Date.now() + publicWithinMs;
  while ((await publicTotal(admin)) < demo.total) {
    if (Date.now() > deadline) throw new StackError(`Not all records are public after ${publicWithinMs / 1000} s.`);
    await admin.pause(lookAgainMs);
  }
  say(`${demo.total} experiments public`);
  const { id } = await freeze(admin);
  if (await lacksDemoFacts(admin, version)) await setDemoFacts(admin, id);
  say(`version ${version} frozen`);
}

function readDemo(): Demo {
  const submissions: object[][] = [];
  for (const paper of readDemoSubmissions()) {
    const researchMetadata = member(paper, 'researchMetadata');
    const items = array(member(paper, 'experimentData')).map((item) => ({ ...(item as object), researchMetadata })); // demo/ is ours
    const last = submissions.at(-1);
    if (last && last.length + items.length <= recordsAtOnce) last.push(...items);
    else submissions.push(items);
  }
  let total = 0;
  const starts = submissions.map(({ length }) => (total += length) - length);
  return { bodies: submissions.map((experimentData) => JSON.stringify({ experimentData })), starts, total };
}

/** Submits, in order, what is not stored yet; false when the contributor has other records than the demo's 1, 2, 3, … */
async function submitAll(client: RetryingClient, { bodies, starts, total }: Demo): Promise<boolean> {
  let stored = await storedRecords(client, total);
  let deadline = Date.now() + awayMs;
  while (stored < total) {
    // A submission is stored whole or not at all, so the number of records shows which one is next.
    const next = starts.indexOf(stored);
    if (next < 0) return false;
    const answer = await client.sendOnce('POST', '/data/submit', bodies[next]);
    if (answer.status === 201) {
      stored = starts[next + 1] ?? total;
      deadline = Date.now() + awayMs;
    } else if (isTemporary(answer) && Date.now() < deadline) {
      await client.pause(againMs);
      stored = await storedRecords(client, total);
    } else {
      throw refused('POST', '/data/submit', answer);
    }
  }
  return (await storedRecords(client, total)) === total;
}

/** How many of the records 1 to `total` the contributor has; -1 when some before them are missing. */
async function storedRecords(client: RetryingClient, total: number): Promise<number> {
  const ids = await ownRecordIds(client, total, '');
  return ids.every((id, index) => id === index + 1) ? ids.length : -1;
}

/** Approves all that wait, in one request; one whose answer was lost finds nothing left to approve. */
async function approveAll(contributor: RetryingClient, admin: RetryingClient, { total }: Demo): Promise<void> {
  const waiting = (): Promise<number[]> => ownRecordIds(contributor, total, '?status=PENDING');
  const recordIds = await waiting();
  if (recordIds.length === 0) return;
  const answer = await admin.send('POST', '/moderation/approve', JSON.stringify({ recordIds }));
  if (answer.status === 200 || (answer.status === 409 && (await waiting()).length === 0)) return;
  throw refused('POST', '/moderation/approve', answer);
}

/** The version as it is listed. */
interface ListedVersion {
  id: number;
  description: unknown;
}

/** Freezes the version, if nobody does so already, and waits until it is listed. */
async function freeze(admin: RetryingClient): Promise<ListedVersion> {
  const known = await findRelease(admin);
  if (known) return known;
  const answer = await admin.send(
    'POST',
    '/admin/versions',
    JSON.stringify({ versionIdentifier: version, description: versionDescription }),
  );
  // 409: an answer was lost, or an import that was interrupted began it.
  if (answer.status !== 202 && answer.status !== 409) throw refused('POST', '/admin/versions', answer);
  const deadline = Date.now() + frozenWithinMs;
  for (;;) {
    const frozen = await findRelease(admin);
    if (frozen) return frozen;
    if (Date.now() > deadline) throw new StackError(`${version} is not frozen after ${frozenWithinMs / 1000} s.`);
    await admin.pause(lookAgainMs);
  }
}

async function findRelease(client: RetryingClient): Promise<ListedVersion | undefined> {
  const answer = await client.send('GET', '/public/dataset/versions');
  if (answer.status !== 200) throw refused('GET', '/public/dataset/versions', answer);
  const found = array(answer.body).find((one) => member(one, 'versionIdentifier') === version);
  return found === undefined
    ? undefined
    : { id: Number(member(found, 'id')), description: member(found, 'description') };
}

async function ownRecordIds(client: RetryingClient, upTo: number, query: string): Promise<number[]> {
  const answer = await client.send('GET', `/data/my-records/ids${query}`);
  if (answer.status !== 200) throw refused('GET', '/data/my-records/ids', answer);
  return array(answer.body)
    .map(Number)
    .filter((id) => id <= upTo);
}

async function publicTotal(client: RetryingClient): Promise<number> {
  const answer = await client.send('GET', '/public/dataset?limit=1');
  if (answer.status !== 200) throw refused('GET', '/public/dataset', answer);
  return Number(member(answer.body, 'total'));
}
