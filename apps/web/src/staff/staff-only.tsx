import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo } from 'preact/hooks';
import { RequestError } from '../client/request.ts';
import { account, requestSignedIn, startSession } from '../client/session.ts';
import { SignInDialog } from '../parts/sign-in-dialog.tsx';
import { SignInForm } from '../parts/sign-in-form.tsx';
import { Failure } from './failure.tsx';
import { type StaffRequest, type Staff, StaffContext } from './service.ts';

interface Props {
  base: string;
  /** Who may see it; an administrator may do all that a moderator may. */
  role: 'MODERATOR' | 'ADMIN';
  /** The heading while it is not shown. */
  title: string;
  children: ComponentChildren;
}

/** Shows a page to staff, and to everyone else why not. */
export function StaffOnly({ base, role, title, children }: Props) {
  const failure = useSignal<unknown>(undefined);
  const needsSecondFactor = useSignal(false);
  const start = useCallback((): void => {
    failure.value = undefined;
    startSession(base).catch((error: unknown) => (failure.value = error));
  }, [base, failure]);
  useEffect(start, [start]);
  const request = useMemo(
    (): StaffRequest => async (path, options) => {
      try {
        return await requestSignedIn(base + path, options);
      } catch (error) {
        if (error instanceof RequestError && error.code === 'TWO_FACTOR_REQUIRED') needsSecondFactor.value = true;
        throw error;
      }
    },
    [base, needsSecondFactor],
  );
  const who = account.value;
  const staff = useMemo((): Staff => ({ request, base }), [request, base]);
  const isAllowed = who?.role === 'ADMIN' || who?.role === role;
  if (who && isAllowed && !needsSecondFactor.value) {
    return (
      <StaffContext.Provider value={staff}>
        {children}
        <SignInDialog base={base} />
      </StaffContext.Provider>
    );
  }
  return (
    <div class="wrap">
      <h1>{title}</h1>
      <p class="without-script">This page needs script. What is public can be read without it.</p>
      {failure.value !== undefined && <Failure error={failure.value} again={start} />}
      {who === undefined && failure.value === undefined && <p class="needs-script muted">Loading…</p>}
      {who === null && (
        <>
          <p>Sign in with an account that may do this.</p>
          <SignInForm base={base} name="staff" />
        </>
      )}
      {who && !isAllowed && (
        <div class="note bad" role="alert">
          <p>Your account may not do this.</p>
          <p class="small">
            You are signed in as {who.email}. An administrator gives the role.{' '}
            <a href={`${base}/account`}>My account</a>
          </p>
        </div>
      )}
      {who && isAllowed && (
        <div class="note warn" role="alert">
          <p>This needs an account with two-factor sign-in.</p>
          <p class="small">
            <a href={`${base}/account`}>Turn it on in your account</a>, then sign in again.
          </p>
        </div>
      )}
    </div>
  );
}
