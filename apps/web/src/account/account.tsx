import { useSignal } from '@preact/signals';
import { useCallback, useEffect } from 'preact/hooks';
import type { Frame } from '@esd/pages/page';
import { problemText, useForm } from '../client/form.ts';
import { useLoaded } from '../client/loaded.ts';
import { moveFocus } from '../client/move-focus.ts';
import { account, signOut, startSession } from '../client/session.ts';
import { shareUnread } from '../client/unread.ts';
import { SignInDialog } from '../parts/sign-in-dialog.tsx';
import { LinkButton } from '../parts/buttons.tsx';
import { Pending } from '../parts/pending.tsx';
import { Problem } from '../parts/problem.tsx';
import { Conversations, type UnreadThread } from './conversations.tsx';
import { SignedOut } from './signed-out.tsx';
import { deletedEmail, OwnData } from './own-data.tsx';
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
            {problem} <LinkButton onClick={() => void start()}>Try again</LinkButton>
          </p>
        )}
        {who === undefined && problem.value === undefined && <p class="muted">Loading…</p>}
        {who === null && (deletedEmail.value === undefined ? <SignedOut base={base} /> : <Deleted base={base} />)}
        {who && <SignedIn key={who.email} base={base} email={who.email} role={who.role} />}
      </div>
      <SignInDialog base={base} />
    </div>
  );
}

function Deleted({ base }: { base: string }) {
  useEffect(() => moveFocus('deleted'), []);
  return (
    <>
      <h2 id="deleted" tabIndex={-1}>
        Your account is deleted
      </h2>
      <p>
        Your name, email, sessions, tokens, snapshots, and unpublished records are deleted. Published records remain,
        without your name. An email to {deletedEmail} confirms this; then that address is deleted, too.
      </p>
      <p>
        <a href={`${base}/explore`}>Explore the dataset</a>
      </p>
    </>
  );
}

const ROLES = { USER: undefined, MODERATOR: 'moderator', ADMIN: 'administrator' } as const;

function SignedIn({ base, email, role }: { base: string; email: string; role: keyof typeof ROLES }) {
  const leaving = useForm(signOut);
  const unread = useLoaded(async () => (await shareUnread(base))?.records ?? []);
  // Threads stay on the page after the answer, which has the focus.
  const conversations = conversationsOf(unread.value.value ?? []);
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
      <Pending of={unread} />
      {(unread.value.value ?? unread.problem.value) !== undefined && (
        <div class="account">
          <nav aria-label="Account sections">
            {[...conversations.map(({ id, title }) => [id, title] as const), ...SECTIONS].map(([id, label]) => (
              <a key={id} href={`#${id}`}>
                {label}
              </a>
            ))}
          </nav>
          <div>
            {conversations.map((section) => (
              <Conversations key={section.id} base={base} {...section} />
            ))}
            <Submissions base={base} />
            <Tokens />
            <Profile />
            <Password email={email} />
            <TwoFactor />
            <Snapshots />
            <Sessions />
            <OwnData email={email} />
          </div>
        </div>
      )}
    </>
  );
}

/** Returns the sections of threads: those that need an answer, the record in the URL, and other unread ones. */
function conversationsOf(unread: readonly UnreadThread[]) {
  const linkedId = Number(new URLSearchParams(location.search).get('record') ?? undefined);
  const isWanted = ({ recordId }: UnreadThread): boolean => recordId === linkedId;
  const asked = unread.filter(({ needsAnswer }) => needsAnswer);
  const others = unread.filter((thread) => !thread.needsAnswer && !isWanted(thread));
  const linked =
    Number.isSafeInteger(linkedId) && linkedId > 0 && !asked.some(isWanted)
      ? [unread.find(isWanted) ?? { recordId: linkedId, messages: 0, needsAnswer: false }]
      : [];
  return [
    { id: 'record', title: `Record ${linkedId}`, threads: linked },
    {
      id: 'needs-answer',
      title: 'Needs your answer',
      threads: asked.toSorted((a, b) => Number(isWanted(b)) - Number(isWanted(a))),
    },
    { id: 'unread', title: 'Unread messages', threads: others },
  ].filter(({ threads }) => threads.length > 0);
}
