import { useSignal } from '@preact/signals';
import { useCallback, useEffect } from 'preact/hooks';
import type { Frame } from '@esd/pages/page';
import { problemText, useForm } from '../client/form.ts';
import { account, signOut, startSession } from '../client/session.ts';
import { SignInDialog } from '../parts/sign-in-dialog.tsx';
import { SignedOut, Problem } from './signed-out.tsx';
import { OwnData } from './own-data.tsx';
import { Password, Profile } from './profile.tsx';
import { Sessions } from './sessions.tsx';
import { Snapshots } from './snapshots.tsx';
import { Submissions } from './submissions.tsx';
import { Tokens } from './tokens.tsx';
import { TwoFactor } from './two-factor.tsx';

const SECTIONS = [
  ['submissions', 'Submissions'],
  ['tokens', 'Tokens'],
  ['profile', 'Profile'],
  ['password', 'Password'],
  ['two-factor', 'Two-factor sign-in'],
  ['snapshots', 'Personal snapshots'],
  ['sessions', 'Sessions'],
  ['own-data', 'Your data'],
] as const;

export function Account({ frame: { base } }: { frame: Frame }) {
  const problem = useSignal<string | undefined>(undefined);
  const start = useCallback(async (): Promise<void> => {
    problem.value = undefined;
    try {
      await startSession(base);
    } catch (error) {
      problem.value = problemText(error);
    }
  }, [base, problem]);
  useEffect(() => void start(), [start]);
  const { value: who } = account;
  return (
    <div class="wrap">
      <h1>Your account</h1>
      <p class="note warn without-script">
        This page requires JavaScript. Reading and downloading the dataset work without it, and so does{' '}
        <a href={`${base}/docs`}>the API</a>.
      </p>
      <div class="needs-script">
        {problem.value !== undefined && (
          <p class="note bad" role="alert">
            {problem}{' '}
            <button type="button" class="link" onClick={() => void start()}>
              Try again
            </button>
          </p>
        )}
        {who === undefined && problem.value === undefined && <p class="muted">Loading…</p>}
        {who === null && <SignedOut base={base} />}
        {who && <SignedIn key={who.email} base={base} email={who.email} role={who.role} />}
      </div>
      <SignInDialog base={base} />
    </div>
  );
}

const ROLES = { USER: undefined, MODERATOR: 'moderator', ADMIN: 'administrator' } as const;

function SignedIn({ base, email, role }: { base: string; email: string; role: keyof typeof ROLES }) {
  const leaving = useForm(signOut);
  return (
    <>
      <form class="row baseline" onSubmit={leaving.onSubmit}>
        <span class="muted small">
          {email}
          {ROLES[role] !== undefined && ` · ${ROLES[role]}`}
        </span>
        <button class="link" disabled={leaving.isBusy.value}>
          Sign out
        </button>
      </form>
      <Problem of={leaving.problem.value} />
      <div class="account">
        <nav aria-label="Account sections">
          {SECTIONS.map(([id, label]) => (
            <a key={id} href={`#${id}`}>
              {label}
            </a>
          ))}
        </nav>
        <div>
          <Submissions base={base} />
          <Tokens base={base} />
          <Profile base={base} />
          <Password base={base} email={email} />
          <TwoFactor base={base} />
          <Snapshots base={base} />
          <Sessions base={base} />
          <OwnData base={base} email={email} />
        </div>
      </div>
    </>
  );
}
