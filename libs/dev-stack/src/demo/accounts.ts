import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readMailFile } from '../mail-file.ts';
import { member, text } from '../json-value.ts';
import { type Credentials, isTemporary, type RetryingClient, refused } from '../retrying-client.ts';
import { StackError } from '../stack-error.ts';
import { writeFileSafely } from '../write-file.ts';

/** Time for a mail to come. */
const mailWithinMs = 60_000;
/** After this long without a mail another one is asked for. */
const askAgainMs = 10_000;
const lookAgainMs = 50;
const againMs = 500;

/** Makes the first admin, or signs in as the one that an earlier start made; false when the store has another one. */
export async function signInAsAdmin(
  client: RetryingClient,
  dataDir: string,
  bootstrapToken: string | undefined,
): Promise<boolean> {
  const file = join(dataDir, 'admin.json');
  const isNew = !existsSync(file);
  const credentials = keptCredentials(file, 'admin@esd.example');
  const created = await client.send(
    'POST',
    '/auth/admin/create',
    JSON.stringify({ ...credentials, name: 'Admin' }),
    bootstrapToken === undefined ? {} : { 'x-bootstrap-token': bootstrapToken },
  );
  if (created.status !== 201 && created.status !== 403) throw refused('POST', '/auth/admin/create', created);
  if ((await client.signIn(credentials)) === 'signed in') return true;
  if (isNew) rmSync(file);
  return false;
}

/**
 * Registers the contributor and confirms the address by the mail in `dataDir`, as anybody would; or signs in as the one
 * that an earlier start made. Throws a StackError when no mail comes.
 */
export async function signInAsContributor(client: RetryingClient, dataDir: string): Promise<void> {
  const credentials = keptCredentials(join(dataDir, 'contributor.json'), 'contributor@esd.example');
  // Not repeated blindly: who registers twice is asked to choose a password.
  const register = JSON.stringify({ ...credentials, name: 'Demo Contributor' });
  let state = await client.signIn(credentials);
  while (state === 'unknown') {
    const answer = await client.sendOnce('POST', '/auth/register', register);
    if (answer.status !== 201 && !isTemporary(answer)) throw refused('POST', '/auth/register', answer);
    state = await client.signIn(credentials);
    if (state === 'unknown' && answer.status === 201) {
      throw new StackError(`${credentials.email} is registered with another password than that in contributor.json.`);
    }
    if (state === 'unknown') await client.pause(againMs);
  }
  if (state === 'signed in') return;
  await confirmAddress(client, credentials.email, join(dataDir, 'mail'));
  if ((await client.signIn(credentials)) !== 'signed in') {
    throw new StackError(`${credentials.email} cannot log in although the address is confirmed.`);
  }
}

async function confirmAddress(client: RetryingClient, email: string, folder: string): Promise<void> {
  const deadline = Date.now() + mailWithinMs;
  let askAt = Date.now() + askAgainMs;
  const tried = new Set<string>();
  while (Date.now() < deadline) {
    const links = verificationLinks(folder, email).filter((link) => !tried.has(link));
    for (const link of links) {
      const { status } = await client.send('GET', link);
      if (status === 200) return;
      // Used up or replaced by a later one.
      tried.add(link);
    }
    if (Date.now() > askAt) {
      askAt = Date.now() + askAgainMs;
      await client.send('POST', '/auth/resend-verification', JSON.stringify({ email }));
    }
    await client.pause(lookAgainMs);
  }
  throw new StackError(
    `No mail to confirm ${email} has come to ${folder} within ${mailWithinMs / 1000} s; where ESD_SMTP_URL is set, start with --empty.`,
  );
}

/** The links, without their origin, that confirm an address, the newest first. */
function verificationLinks(folder: string, email: string): string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.eml'));
  return files
    .sort()
    .reverse()
    .flatMap((name) => {
      const { to, link } = readMailFile(join(folder, name));
      return to.includes(email) ? (/\/auth\/verify-email\?.+/.exec(link ?? '')?.[0] ?? []) : [];
    });
}

/** The credentials that are kept in a file, or new ones with a random password. */
function keptCredentials(file: string, email: string): Credentials {
  if (!existsSync(file)) {
    // On disk before it is used: if the only password were lost, nobody could ever log in.
    writeFileSafely(file, `${JSON.stringify({ email, password: randomBytes(18).toString('base64url') })}\n`);
  }
  const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return { email: text(member(kept, 'email')), password: text(member(kept, 'password')) };
}
