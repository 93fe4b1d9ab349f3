import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { moveFocus } from '../client/move-focus.ts';
import { request, RequestError } from '../client/request.ts';
import { problemText, useForm } from '../client/form.ts';
import { requireSecurePage, signIn } from '../client/session.ts';
import { CodeField, codeOf, EmailField, PasswordField } from './text-field.tsx';
import { LinkButton } from './buttons.tsx';
import { Problem } from './problem.tsx';

interface Props {
  base: string;
  /** The prefix of the ids of the fields. */
  name: string;
  email?: string | undefined;
  children?: preact.ComponentChildren;
}

/** The sign-in form. It asks for the second factor if the account requires one. */
export function SignInForm({ base, name, email, children }: Props) {
  const needsCode = useSignal(false);
  const unverified = useSignal<string | undefined>(undefined);
  const isRefused = useSignal(false);
  const form = useForm(async (text) => {
    unverified.value = undefined;
    try {
      const otp = codeOf(text('otp'));
      await signIn({
        email: text('email'),
        password: text('password'),
        rememberMe: text('remember') !== '',
        ...(otp === '' ? {} : { otp }),
      });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (error.code === 'EMAIL_NOT_VERIFIED') unverified.value = text('email');
      if (error.code !== 'OTP_REQUIRED') throw error;
      needsCode.value = true;
    }
  });
  const { problem } = form;
  useEffect(() => {
    requireSecurePage().catch((error: unknown) => {
      problem.value = problemText(error);
      isRefused.value = error instanceof RequestError && error.code === 'HTTPS_REQUIRED';
    });
  }, [problem, isRefused]);
  useEffect(() => {
    if (needsCode.value) moveFocus(`${name}-otp`);
  }, [needsCode.value, name]);
  return (
    <form class="form" onSubmit={form.onSubmit}>
      <EmailField id={`${name}-email`} defaultValue={email} />
      <PasswordField id={`${name}-password`} name="password" label="Password" />
      {needsCode.value && (
        <div>
          <CodeField id={`${name}-otp`} hint="Six digits from your authenticator app, or one of your recovery codes." />
        </div>
      )}
      <label class="check">
        <input type="checkbox" name="remember" value="on" /> Stay signed in when the browser is closed
      </label>
      <Problem of={form.problem.value} />
      {unverified.value !== undefined && <SendAgain base={base} email={unverified.value} />}
      <p class="row">
        <button class="button primary" disabled={form.isBusy.value || isRefused.value}>
          Sign in
        </button>
        {children}
      </p>
    </form>
  );
}

function SendAgain({ base, email }: { base: string; email: string }) {
  const message = useSignal<string | undefined>(undefined);
  const send = async (): Promise<void> => {
    try {
      await request(`${base}/auth/resend-verification`, { method: 'POST', json: { email } });
      message.value = `Email sent to ${email}. Check your spam folder.`;
    } catch (error) {
      message.value = problemText(error);
    }
  };
  return (
    <p role="status">{message.value ?? <LinkButton onClick={() => void send()}>Send the email again</LinkButton>}</p>
  );
}
