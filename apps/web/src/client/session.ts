import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { bodyOf } from './call.ts';
import { type Answer, request, RequestError, type RequestOptions } from './request.ts';
import { type Role, signedInRole, storeSignedInRole } from './signed-in.ts';

export interface Account {
  readonly email: string;
  readonly role: Role;
}

interface SignIn {
  readonly email: string;
  readonly password: string;
  /** Whether the user stays signed in when the browser is closed. */
  readonly rememberMe: boolean;
  readonly otp?: string;
}

/** A session, which exists only in the memory of the tabs. The refresh token is in an HttpOnly cookie. */
interface Session extends Account {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A message between the tabs of a browser: a new session, or a sign-out. */
type TabMessage = Session | 'signed out';

// Covers the transfer time of the token and small changes of the clock.
const EXPIRY_MARGIN_MS = 20_000;
const SHARED = 'esd-session';

const signedInAccount = signal<Account | null | undefined>(undefined);
/** The requests that wait for the user to sign in again, see `SignInDialog`. */
const waiting = signal<readonly ((isSignedIn: boolean) => void)[]>([]);
let session: Session | undefined;
let base = '';
let channel: BroadcastChannel | undefined;
let started: Promise<void> | undefined;
let refreshing: Promise<Session | undefined> | undefined;

/**
 * The signed-in account: null if the user is signed out, undefined until known. It stays when its session ends, so that the page
 * keeps its input; `requestSignedIn` then opens the sign-in dialog.
 */
export const account: ReadonlySignal<Account | null | undefined> = signedInAccount;

/** Whether a request waits for the user to sign in again. */
export const isSignInWanted: ReadonlySignal<boolean> = computed(() => waiting.value.length > 0);

/**
 * Sets `account`, once per page. Throws RequestError if the service does not respond.
 * @param path the path of the public URL
 */
export function startSession(path: string): Promise<void> {
  base = path;
  if (!channel) {
    channel = new BroadcastChannel(SHARED);
    channel.onmessage = ({ data }: MessageEvent<TabMessage>) => (data === 'signed out' ? clearSession() : adopt(data));
  }
  started ??= (async () => {
    if (signedInRole()) await refresh();
    signedInAccount.value ??= null;
  })();
  // The next call after a failure tries again.
  started.catch(() => (started = undefined));
  return started;
}

/**
 * Sends a request to a path below that of the public URL, with the token of the session. If the session has ended, it opens the sign-in
 * dialog and continues after the sign-in, so that the page keeps its input. Throws RequestError AUTH_REQUIRED if the user cancels the dialog.
 */
export async function requestSignedIn(path: string, options: RequestOptions = {}): Promise<Answer> {
  for (let isFirst = true; ; isFirst = false) {
    const { token } = await freshSession();
    try {
      const headers = { ...options.headers, Authorization: `Bearer ${token}` };
      return await request(base + path, { ...options, headers });
    } catch (error) {
      const isOver = error instanceof RequestError && error.status === 401 && error.code.startsWith('TOKEN_');
      if (!isOver || !isFirst) throw error;
      if (session?.token === token) session = undefined;
    }
  }
}

/**
 * Sends a GET of the signed-in user, once and without notices. Returns undefined if the user is signed out. Throws RequestError.
 * @param path the path of the public URL
 */
export async function requestInBackground(path: string, address: string): Promise<Answer | undefined> {
  await startSession(path);
  const fresh = freshOf(session) ?? (signedInAccount.value === null ? undefined : await refresh());
  if (!fresh) return undefined;
  return await request(path + address, { headers: { Authorization: `Bearer ${fresh.token}` }, isBackground: true });
}

/** Signs in. Throws RequestError with the code BAD_CREDENTIALS, EMAIL_NOT_VERIFIED, HTTPS_REQUIRED, or, if `otp` is missing, OTP_REQUIRED. */
export async function signIn(credentials: SignIn): Promise<void> {
  await inTurn(async () => {
    share(sessionOf(await request(`${base}/session`, { method: 'POST', json: credentials, hasPassword: true })));
  });
}

/** Signs out in all tabs of this browser. Throws RequestError if the service does not respond. */
export async function signOut(): Promise<void> {
  await inTurn(async () => {
    await request(`${base}/session`, { method: 'DELETE', isRepeatable: true });
    clearSession();
    channel?.postMessage('signed out' satisfies TabMessage);
  });
}

/** Ends every session of the account, in this browser and in others. Throws RequestError. */
export async function signOutEverywhere(): Promise<void> {
  await requestSignedIn('/auth/logout-all', { method: 'POST' });
  await signOut();
}

/** Makes every request that waits for a sign-in fail with AUTH_REQUIRED. */
export function cancelSignIn(): void {
  answerWaiting(false);
}

/** Throws RequestError HTTPS_REQUIRED if the page was loaded over plain HTTP from another machine and the service forbids signing in. */
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
  throw new RequestError(401, { code: 'AUTH_REQUIRED', message: 'You are not signed in. Your input is preserved.' });
}

function freshOf(candidate: Session | undefined): Session | undefined {
  return candidate && candidate.expiresAt - EXPIRY_MARGIN_MS > Date.now() ? candidate : undefined;
}

/** Renews the session with the cookie, once for all tabs. Returns undefined if the cookie is no longer valid. */
function refresh(): Promise<Session | undefined> {
  refreshing ??= inTurn(async () => {
    // Another tab may have renewed it while this one waited for the lock.
    const renewed = freshOf(session);
    if (renewed) return renewed;
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        const response = await request(`${base}/session/refresh`, { method: 'POST', isRepeatable: true });
        if (response.body !== undefined) return share(sessionOf(response));
        break;
      } catch (error) {
        if (error instanceof RequestError && error.status === 401) break;
        // Any other failure says nothing about the session.
        if (isRepeated) throw error;
      }
    }
    session = undefined;
    storeSignedInRole(undefined);
    return undefined;
  }).finally(() => (refreshing = undefined));
  return refreshing;
}

/** Runs `act` in one tab at a time. Browsers have locks over HTTPS and on localhost only; without them, the service accepts a used token for 30 seconds. */
async function inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
  if (!('locks' in navigator)) return await act();
  return await navigator.locks.request<Promise<Result>>(SHARED, act);
}

function share(next: Session): Session {
  adopt(next);
  channel?.postMessage(next satisfies TabMessage);
  return next;
}

function adopt(next: Session): void {
  session = next;
  signedInAccount.value = { email: next.email, role: next.role };
  storeSignedInRole(next.role);
  answerWaiting(true);
}

function clearSession(): void {
  session = undefined;
  signedInAccount.value = null;
  storeSignedInRole(undefined);
}

function answerWaiting(isSignedIn: boolean): void {
  const resolvers = waiting.value;
  waiting.value = [];
  for (const resolve of resolvers) resolve(isSignedIn);
}

function sessionOf(response: Answer): Session {
  const { token, email, role, expiresIn } = bodyOf<'post', '/session'>(response);
  return { token, email, role, expiresAt: Date.now() + expiresIn };
}
