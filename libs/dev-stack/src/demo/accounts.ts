import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readMailFile } from '../mail-file.ts';
import { member, text } from '../json-value.ts';
import { type Credentials, isTemporary, type RetryingClient, unexpectedResponse } from '../retrying-client.ts';
import { StackError } from '../stack-error.ts';
import { writeFileSafely } from '../write-file.ts';

const mailWithinMs = 60_000;
/** Time without a mail after which another one is requested. */
const resendMs = 10_000;
const pollMs = 50;
const retryMs = 500;

/** Creates the first admin, or signs in as the admin of an earlier start. Returns false if the dataset has another admin. */
export async function signInAsAdmin(
  client: RetryingClient,
  dataDir: string,
  bootstrapToken: string | undefined,
): Promise<boolean> {
  const file = join(dataDir, 'admin.json');
  const isNew = !existsSync(file);
  const credentials = storedCredentials(file, 'admin@esd.example');
  const created = await client.send(
    'POST',
    '/auth/admin/create',
    JSON.stringify({ ...credentials, name: 'Admin' }),
    bootstrapToken === undefined ? {} : { 'x-bootstrap-token': bootstrapToken },
  );
  if (created.status !== 201 && created.status !== 403) throw unexpectedResponse('POST', '/auth/admin/create', created);
  if ((await client.signIn(credentials)) === 'signed in') return true;
  if (isNew) rmSync(file);
  return false;
}

/**
 * Registers the contributor and confirms the address with the link in the mail in `dataDir`, or signs in as the contributor of an earlier
 * start. Throws a StackError if no mail arrives.
 */
export async function signInAsContributor(client: RetryingClient, dataDir: string): Promise<void> {
  const credentials = storedCredentials(join(dataDir, 'contributor.json'), 'contributor@esd.example');
  // A sign-in precedes each repetition, because a second registration sends a mail for choosing a new password.
  const register = JSON.stringify({ ...credentials, name: 'Demo Contributor' });
  let state = await client.signIn(credentials);
  while (state === 'unknown') {
    const answer = await client.sendOnce('POST', '/auth/register', register);
    if (answer.status !== 201 && !isTemporary(answer)) throw unexpectedResponse('POST', '/auth/register', answer);
    state = await client.signIn(credentials);
    if (state === 'unknown' && answer.status === 201) {
      throw new StackError(
        `${credentials.email} is registered with a password that differs from the one in contributor.json.`,
      );
    }
    if (state === 'unknown') await client.pause(retryMs);
  }
  if (state === 'signed in') return;
  await confirmAddress(client, credentials.email, join(dataDir, 'mail'));
  if ((await client.signIn(credentials)) !== 'signed in') {
    throw new StackError(`${credentials.email} cannot sign in although the address is confirmed.`);
  }
}

async function confirmAddress(client: RetryingClient, email: string, folder: string): Promise<void> {
  const deadline = Date.now() + mailWithinMs;
  let resendAt = Date.now() + resendMs;
  const tried = new Set<string>();
  while (Date.now() < deadline) {
    const links = verificationLinks(folder, email).filter((link) => !tried.has(link));
    for (const link of links) {
      const { status } = await client.send('GET', link);
      if (status === 200) return;
      // The link was used before, or a newer mail replaced it.
      tried.add(link);
    }
    if (Date.now() > resendAt) {
      resendAt = Date.now() + resendMs;
      await client.send('POST', '/auth/resend-verification', JSON.stringify({ email }));
    }
    await client.pause(pollMs);
  }
  throw new StackError(
    `No mail to confirm ${email} arrived in ${folder} within ${mailWithinMs / 1000} s. If ESD_SMTP_URL is set, start with --empty.`,
  );
}

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

/** Reads the credentials from a file. Creates the file with a random password if it does not exist. */
function storedCredentials(file: string, email: string): Credentials {
  if (!existsSync(file)) {
    // Written before its first use: without the password no one could sign in.
    writeFileSafely(file, `${JSON.stringify({ email, password: randomBytes(18).toString('base64url') })}\n`);
  }
  const stored: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return { email: text(member(stored, 'email')), password: text(member(stored, 'password')) };
}
