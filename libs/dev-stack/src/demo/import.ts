import { signInAsAdmin, signInAsContributor } from './accounts.ts';
import { array, member } from '../json-value.ts';
import { isTemporary, RetryingClient, unexpectedResponse } from '../retrying-client.ts';
import { StackError } from '../stack-error.ts';
import { lacksDemoFacts, setDemoFacts } from './facts.ts';
import { importDemoPapers } from './papers.ts';
import { readDemoSubmissions } from './submissions.ts';

/** Maximum outage of the system during one submission. */
const maxOutageMs = 120_000;
const retryMs = 500;
const publicWithinMs = 60_000;
const pollMs = 100;
const version = 'v1.0.0';
const versionDescription = 'The 809 published experiments that ship with this service.';
const frozenWithinMs = 120_000;
/** Maximum records per submission, unless one paper has more. Papers share submissions to stay below the limit of submissions a minute. */
const recordsAtOnce = 100;

export interface DemoOptions {
  url: string;
  /** Folder with `admin.json`, `contributor.json` and the mails. */
  dataDir: string;
  /** Required to create the admin if the system has a bootstrap token. */
  bootstrapToken?: string | undefined;
  signal: AbortSignal;
  say: (line: string) => void;
}

/** The submissions of the demo: bodies of `POST /data/submit`, and the number of records before each. */
interface Demo {
  bodies: string[];
  starts: number[];
  total: number;
}

/**
 * Loads the demo dataset through the public interface. It creates an admin and a contributor, with credentials in `admin.json` and
 * `contributor.json`. The contributor submits the records. The admin approves them, imports the papers of `demo/papers.csl.json`, and
 * freezes release v1.0.0 with the metadata of `demo/dataset.json`. Each step first reads the current state, so an interrupted import continues and a completed one changes nothing.
 * A dataset with other records or another admin stays unchanged; a printed line reports it. Throws a StackError if the system refuses a
 * step or is unavailable too long.
 */
export async function importDemo({ url, dataDir, bootstrapToken, signal, say }: DemoOptions): Promise<void> {
  const demo = readDemo();
  const admin = new RetryingClient(url, signal);
  const found = await publicTotal(admin);
  const frozen = await findRelease(admin);
  if (found > demo.total || (found === demo.total && frozen)) {
    if (frozen?.description !== versionDescription || !(await lacksDemoFacts(admin, version))) return;
    if (await signInAsAdmin(admin, dataDir, bootstrapToken)) await setDemoFacts(admin, frozen.id);
    else say(`the dataset has another admin: the metadata of release ${version} is unchanged`);
    return;
  }
  if (!(await signInAsAdmin(admin, dataDir, bootstrapToken))) {
    say('the dataset has another admin: the demo is not imported');
    return;
  }
  const contributor = new RetryingClient(url, signal);
  await signInAsContributor(contributor, dataDir);
  if (!(await submitAll(contributor, demo))) {
    say('the dataset has other records: the demo is not imported');
    return;
  }
  say(`${demo.total} experiments submitted`);
  await approveAll(contributor, admin, demo);
  say(`${demo.total} experiments approved`);
  const deadline = Date.now() + publicWithinMs;
  while ((await publicTotal(admin)) < demo.total) {
    if (Date.now() > deadline)
      throw new StackError(`Not all records are public after ${publicWithinMs / 1000} s. See the logs of dataset-svc.`);
    await admin.pause(pollMs);
  }
  say(`${demo.total} experiments public`);
  // The release has the list at its dataset revision, so the list precedes it.
  await importDemoPapers(admin);
  const { id } = await freeze(admin);
  if (await lacksDemoFacts(admin, version)) await setDemoFacts(admin, id);
  say(`release ${version} frozen`);
}

function readDemo(): Demo {
  const submissions: object[][] = [];
  for (const paper of readDemoSubmissions()) {
    const researchMetadata = member(paper, 'researchMetadata');
    // Safe cast: the repository contains demo/.
    const items = array(member(paper, 'experimentData')).map((item) => ({ ...(item as object), researchMetadata }));
    const last = submissions.at(-1);
    if (last && last.length + items.length <= recordsAtOnce) last.push(...items);
    else submissions.push(items);
  }
  let total = 0;
  const starts = submissions.map(({ length }) => (total += length) - length);
  return { bodies: submissions.map((experimentData) => JSON.stringify({ experimentData })), starts, total };
}

/** Submits the missing records in order. Returns false if the contributor's records are not the demo's 1, 2, 3, … */
async function submitAll(client: RetryingClient, { bodies, starts, total }: Demo): Promise<boolean> {
  let stored = await storedRecords(client, total);
  let deadline = Date.now() + maxOutageMs;
  while (stored < total) {
    // A submission is atomic, so the number of records identifies the next one.
    const next = starts.indexOf(stored);
    if (next < 0) return false;
    const answer = await client.sendOnce('POST', '/data/submit', bodies[next]);
    if (answer.status === 201) {
      stored = starts[next + 1] ?? total;
      deadline = Date.now() + maxOutageMs;
    } else if (isTemporary(answer) && Date.now() < deadline) {
      await client.pause(retryMs);
      stored = await storedRecords(client, total);
    } else {
      throw unexpectedResponse('POST', '/data/submit', answer);
    }
  }
  return (await storedRecords(client, total)) === total;
}

/** Counts the contributor's records among ids 1 to `total`. Returns -1 if they have a gap. */
async function storedRecords(client: RetryingClient, total: number): Promise<number> {
  const ids = await ownRecordIds(client, total, '');
  return ids.every((id, index) => id === index + 1) ? ids.length : -1;
}

/** Approves all pending records in one request. 409 without pending records means that the response to an earlier attempt was lost. */
async function approveAll(contributor: RetryingClient, admin: RetryingClient, { total }: Demo): Promise<void> {
  const waiting = (): Promise<number[]> => ownRecordIds(contributor, total, '?status=PENDING');
  const recordIds = await waiting();
  if (recordIds.length === 0) return;
  const answer = await admin.send('POST', '/moderation/approve', JSON.stringify({ recordIds }));
  if (answer.status === 200 || (answer.status === 409 && (await waiting()).length === 0)) return;
  throw unexpectedResponse('POST', '/moderation/approve', answer);
}

interface ListedVersion {
  id: number;
  description: unknown;
}

async function freeze(admin: RetryingClient): Promise<ListedVersion> {
  const known = await findRelease(admin);
  if (known) return known;
  const answer = await admin.send(
    'POST',
    '/admin/versions',
    JSON.stringify({ versionIdentifier: version, description: versionDescription }),
  );
  // 409: the response was lost, or an interrupted import started the freeze.
  if (answer.status !== 202 && answer.status !== 409) throw unexpectedResponse('POST', '/admin/versions', answer);
  const deadline = Date.now() + frozenWithinMs;
  for (;;) {
    const frozen = await findRelease(admin);
    if (frozen) return frozen;
    if (Date.now() > deadline)
      throw new StackError(
        `Release ${version} is not frozen after ${frozenWithinMs / 1000} s. See the logs of export-svc.`,
      );
    await admin.pause(pollMs);
  }
}

async function findRelease(client: RetryingClient): Promise<ListedVersion | undefined> {
  const answer = await client.send('GET', '/public/dataset/versions');
  if (answer.status !== 200) throw unexpectedResponse('GET', '/public/dataset/versions', answer);
  const found = array(answer.body).find((one) => member(one, 'versionIdentifier') === version);
  return found === undefined
    ? undefined
    : { id: Number(member(found, 'id')), description: member(found, 'description') };
}

async function ownRecordIds(client: RetryingClient, upTo: number, query: string): Promise<number[]> {
  const answer = await client.send('GET', `/data/my-records/ids${query}`);
  if (answer.status !== 200) throw unexpectedResponse('GET', '/data/my-records/ids', answer);
  return array(answer.body)
    .map(Number)
    .filter((id) => id <= upTo);
}

async function publicTotal(client: RetryingClient): Promise<number> {
  const answer = await client.send('GET', '/public/dataset?limit=1');
  if (answer.status !== 200) throw unexpectedResponse('GET', '/public/dataset', answer);
  return Number(member(answer.body, 'total'));
}
