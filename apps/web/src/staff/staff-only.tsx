import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo } from 'preact/hooks';
import { RequestError } from '../client/request.ts';
import { account, requestSignedIn, startSession } from '../client/session.ts';
import { SignInDialog } from '../parts/sign-in-dialog.tsx';
import { SignInForm } from '../parts/sign-in-form.tsx';
import { Failure } from './failure.tsx';
import { type Staff, StaffContext, type StaffRequest } from './service.ts';

interface Props {
  base: string;
  /** The minimum role. */
  role: 'MODERATOR' | 'ADMIN';
  /** The heading while the children are not shown. */
  title: string;
  children: ComponentChildren;
}

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
        return await requestSignedIn(path, options);
      } catch (error) {
        if (error instanceof RequestError && error.code === 'TWO_FACTOR_REQUIRED') needsSecondFactor.value = true;
        throw error;
      }
    },
    [needsSecondFactor],
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
      <p class="without-script">This page requires JavaScript. Public pages work without it.</p>
      {failure.value !== undefined && <Failure error={failure.value} again={start} />}
      {who === undefined && failure.value === undefined && <p class="needs-script muted">Loading…</p>}
      {who === null && (
        <>
          <p>Sign in as {role === 'MODERATOR' ? 'a moderator' : 'an administrator'}.</p>
          <SignInForm base={base} name="staff" />
        </>
      )}
      {who && !isAllowed && (
        <div class="note bad" role="alert">
          <p>You don't have permission to do this.</p>
          <p class="small">
            You are signed in as {who.email}. Ask an administrator for the required role.{' '}
            <a href={`${base}/account`}>My account</a>
          </p>
        </div>
      )}
      {who && isAllowed && (
        <div class="note warn" role="alert">
          <p>This page requires two-factor sign-in.</p>
          <p class="small">
            <a href={`${base}/account`}>Turn it on in your account</a>, then sign in again.
          </p>
        </div>
      )}
    </div>
  );
}
