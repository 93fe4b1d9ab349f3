import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { type Answer, request, type RequestOptions, RequestError } from './request.ts';
import { isRole, keepSignedIn, type Role, signedInRole } from './signed-in.ts';

export interface Account {
  readonly email: string;
  readonly role: Role;
}

interface SignIn {
  readonly email: string;
  readonly password: string;
  /** Keeps the sign-in when the browser is closed. */
  readonly rememberMe: boolean;
  /** The code of the authenticator, or a recovery code. */
  readonly otp?: string;
}

/** Stands only in the memory of the tabs. The refresh token is in a cookie that no script sees. */
interface Session extends Account {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What the tabs of a browser tell each other: a new session, or that somebody signed out. */
type News = Session | 'signed out';

// The token may take a while to get there, and clocks differ.
const SPARE_MS = 20_000;
const SHARED = 'esd-session';

const known = signal<Account | null | undefined>(undefined);
/** Who waits for the dialog in which people sign in again, see `SignInDialog`. */
const waiting = signal<readonly ((isSignedIn: boolean) => void)[]>([]);
let session: Session | undefined;
let base = '';
let channel: BroadcastChannel | undefined;
let started: Promise<void> | undefined;
let refreshing: Promise<Session | undefined> | undefined;

/**
 * Who is signed in: null for nobody, undefined until that is known. Whose session has ended is still here, so that a page keeps what is typed in
 * it; `requestSignedIn` asks for the sign-in again.
 */
export const account: ReadonlySignal<Account | null | undefined> = known;

/** Whether the dialog is wanted in which people sign in again. */
export const isSignInWanted: ReadonlySignal<boolean> = computed(() => waiting.value.length > 0);

/**
 * Finds out whether somebody is signed in, once for a page; `path` is that of the public URL. Afterwards `account` is known. Throws
 * RequestError where the service does not answer.
 */
export function startSession(path: string): Promise<void> {
  base = path;
  if (!channel) {
    channel = new BroadcastChannel(SHARED);
    channel.onmessage = ({ data }: MessageEvent<News>) => (data === 'signed out' ? forget() : adopt(data));
  }
  started ??= (async () => {
    if (signedInRole()) await refresh();
    known.value ??= null;
  })();
  // Who comes after a failure tries again.
  started.catch(() => (started = undefined));
  return started;
}

/**
 * Asks the service as `ask` does, as who is signed in. Where the session has ended, it shows the dialog in which people sign in
 * again, and goes on afterwards: what is typed on the page stays. Throws RequestError with AUTH_REQUIRED when they do not.
 */
export async function requestSignedIn(address: string, options: RequestOptions = {}): Promise<Answer> {
  for (let isFirst = true; ; isFirst = false) {
    const { token } = await freshSession();
    try {
      return await request(address, { ...options, headers: { ...options.headers, Authorization: `Bearer ${token}` } });
    } catch (error) {
      const isOver = error instanceof RequestError && error.status === 401 && error.code.startsWith('TOKEN_');
      if (!isOver || !isFirst) throw error;
      if (session?.token === token) session = undefined;
    }
  }
}

/** Signs in. Throws RequestError: BAD_CREDENTIALS, EMAIL_NOT_VERIFIED, OTP_REQUIRED where `otp` is missing, HTTPS_REQUIRED. */
export async function signIn(credentials: SignIn): Promise<void> {
  await inTurn(async () => {
    const { body } = await request(`${base}/session`, { method: 'POST', json: credentials });
    share(sessionOf(body));
  });
}

/** Signs out in this browser, in all of its tabs. Throws RequestError where the service does not answer. */
export async function signOut(): Promise<void> {
  await inTurn(async () => {
    await request(`${base}/session`, { method: 'DELETE', isRepeatable: true });
    forget();
    channel?.postMessage('signed out' satisfies News);
  });
}

/** Ends every session of the account, this one and those of other browsers included. Throws RequestError. */
export async function signOutEverywhere(): Promise<void> {
  await requestSignedIn(`${base}/auth/logout-all`, { method: 'POST' });
  await signOut();
}

/** Ends the wait for a sign-in: every request that waits for it fails with AUTH_REQUIRED. */
export function cancelSignIn(): void {
  answerWaiting(false);
}

/** Throws RequestError HTTPS_REQUIRED where nobody may sign in because the page came over plain HTTP from another machine. */
export async function requireSecurePage(): Promise<void> {
  if (!isSecureContext) await request(`${base}/session/refresh`, { method: 'POST', isRepeatable: true });
}

async function freshSession(): Promise<Session> {
  const fresh = freshOf(session) ?? (await refresh());
  if (fresh) return fresh;
  const isSignedIn = await new Promise<boolean>((resolve) => {
    waiting.value = [...waiting.value, resolve];
  });
  if (isSignedIn && session) return session;
  throw new RequestError(401, { code: 'AUTH_REQUIRED', message: 'You are not signed in. What you typed is kept.' });
}

function freshOf(found: Session | undefined): Session | undefined {
  return found && found.expiresAt - SPARE_MS > Date.now() ? found : undefined;
}

/** The session, renewed by the cookie, once for all tabs; undefined where nobody is signed in any more. */
function refresh(): Promise<Session | undefined> {
  refreshing ??= inTurn(async () => {
    // Another tab may have done it while this one waited for its turn.
    const heard = freshOf(session);
    if (heard) return heard;
    try {
      const { body } = await request(`${base}/session/refresh`, { method: 'POST', isRepeatable: true });
      if (body !== undefined) return share(sessionOf(body));
    } catch (error) {
      if (!(error instanceof RequestError) || error.status !== 401) throw error;
    }
    session = undefined;
    keepSignedIn(undefined);
    return undefined;
  }).finally(() => (refreshing = undefined));
  return refreshing;
}

/** One tab after the other. Browsers have locks on https and on the machine itself only; elsewhere the service forgives 30 seconds. */
async function inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
  if (!('locks' in navigator)) return await act();
  return await navigator.locks.request<Promise<Result>>(SHARED, act);
}

/** Takes over a session, here and in the other tabs. */
function share(found: Session): Session {
  adopt(found);
  channel?.postMessage(found satisfies News);
  return found;
}

function adopt(found: Session): void {
  session = found;
  known.value = { email: found.email, role: found.role };
  keepSignedIn(found.role);
  answerWaiting(true);
}

function forget(): void {
  session = undefined;
  known.value = null;
  keepSignedIn(undefined);
}

function answerWaiting(isSignedIn: boolean): void {
  const resolvers = waiting.value;
  waiting.value = [];
  for (const resolve of resolvers) resolve(isSignedIn);
}

function sessionOf(body: unknown): Session {
  const members = new Map<string, unknown>(Object.entries(typeof body === 'object' && body !== null ? body : {}));
  const [token, email, role, expiresIn] = ['token', 'email', 'role', 'expiresIn'].map((name) => members.get(name));
  if (typeof token !== 'string' || typeof email !== 'string' || !isRole(role) || typeof expiresIn !== 'number')
    throw new Error('The answer does not have the members of a session.');
  return { token, email, role, expiresAt: Date.now() + expiresIn };
}
