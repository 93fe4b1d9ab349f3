import { account, cancelSignIn, isSignInWanted } from '../client/session.ts';
import { useOpenDialog } from './dialog.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { Button } from './buttons.tsx';

/** The dialog that `requestSignedIn` opens after the session has ended. A page renders it once; form input stays on the page. */
export function SignInDialog({ base }: { base: string }) {
  return isSignInWanted.value ? <OpenDialog base={base} /> : null;
}

function OpenDialog({ base }: { base: string }) {
  const dialog = useOpenDialog();
  return (
    <dialog ref={dialog} aria-labelledby="sign-in-again" onClose={cancelSignIn}>
      <h2 id="sign-in-again">{account.value ? 'Sign in again' : 'Sign in'}</h2>
      <p>
        {account.value
          ? 'Your session has ended. Sign in to continue. Your input is preserved.'
          : 'Your input is preserved.'}
      </p>
      <SignInForm base={base} name="again" email={account.value?.email}>
        <Button onClick={cancelSignIn}>Not now</Button>
      </SignInForm>
    </dialog>
  );
}
