import { useEffect, useRef } from 'preact/hooks';
import { account, cancelSignIn, isSignInWanted } from '../client/session.ts';
import { SignInForm } from './sign-in-form.tsx';

/**
 * The dialog that `requestSignedIn` waits for where the session has ended. It stands once on each page that uses it, over whatever is
 * typed there.
 */
export function SignInDialog({ base }: { base: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isWanted = isSignInWanted.value;
  useEffect(() => {
    if (isWanted) dialog.current?.showModal();
  }, [isWanted]);
  if (!isWanted) return null;
  return (
    <dialog ref={dialog} aria-labelledby="sign-in-again" onClose={cancelSignIn}>
      <h2 id="sign-in-again">{account.value ? 'Sign in again' : 'Sign in'}</h2>
      <p>{account.value ? 'Your session ended. Sign in to go on; the form is kept.' : 'What you entered is kept.'}</p>
      <SignInForm base={base} name="again" email={account.value?.email}>
        <button type="button" class="button" onClick={cancelSignIn}>
          Not now
        </button>
      </SignInForm>
    </dialog>
  );
}
