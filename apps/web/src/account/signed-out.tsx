import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { request } from '../client/request.ts';
import { useForm } from '../client/form.ts';
import { SignInForm } from '../parts/sign-in-form.tsx';
import { EmailField, NewPasswordField, TextField } from '../parts/text-field.tsx';
import { Problem } from '../parts/problem.tsx';
import { onPlainClick } from '../client/events.ts';

const VIEWS = [
  ['sign-in', 'Sign in'],
  ['register', 'Register'],
  ['forgot', 'Forgot password'],
] as const;
type View = (typeof VIEWS)[number][0];

/** Shows the forms to sign in, register, and reset the password. The URL selects one: `?show=register`. */
export function SignedOut({ base }: { base: string }) {
  const view = useSignal<View>('sign-in');
  useEffect(() => {
    const readUrl = (): void => {
      const shown = new URLSearchParams(location.search).get('show');
      view.value = VIEWS.find(([name]) => name === shown)?.[0] ?? 'sign-in';
    };
    readUrl();
    addEventListener('popstate', readUrl);
    return () => removeEventListener('popstate', readUrl);
  }, [view]);
  const go = (name: View): void => {
    history.pushState(null, '', name === 'sign-in' ? location.pathname : `?show=${name}`);
    view.value = name;
  };
  return (
    <>
      <nav class="tabs" aria-label="Sign in or register">
        {VIEWS.map(([name, label]) => (
          <a
            key={name}
            href={name === 'sign-in' ? `${base}/account` : `?show=${name}`}
            aria-current={view.value === name ? 'page' : undefined}
            onClick={onPlainClick(() => go(name))}
          >
            {label}
          </a>
        ))}
      </nav>
      {view.value === 'sign-in' && <SignInForm base={base} name="sign-in" />}
      {view.value === 'register' && <RegisterForm base={base} />}
      {view.value === 'forgot' && <ForgotForm base={base} />}
    </>
  );
}

function RegisterForm({ base }: { base: string }) {
  const sentTo = useSignal<string | undefined>(undefined);
  const form = useForm(async (text) => {
    const [email, password, name, orcid] = [text('email'), text('password'), text('name'), text('orcid').trim()];
    const json = { email, password, name, ...(orcid === '' ? {} : { orcid }) };
    await request(`${base}/auth/register`, { method: 'POST', json });
    sentTo.value = email;
  });
  if (sentTo.value !== undefined) {
    return (
      <p class="note ok" role="status">
        An email was sent to {sentTo.value}. Open the link in it, then sign in here. Check your spam folder.
      </p>
    );
  }
  return (
    <form class="form" onSubmit={form.onSubmit}>
      <p class="muted">
        With an account, you can track and correct your submissions, and submit from scripts. Reading needs no account.
      </p>
      <TextField id="register-name" name="name" label="Name" autocomplete="name" required maxLength={200} />
      <EmailField id="register-email" />
      <NewPasswordField id="register-password" name="password" label="Password" />
      <TextField
        id="register-orcid"
        name="orcid"
        label="ORCID iD"
        hint="Optional, for example 0000-0002-1825-0097."
        autocomplete="off"
        maxLength={100}
      />
      <Problem of={form.problem.value} />
      <p>
        <button class="button primary" disabled={form.isBusy.value}>
          Register
        </button>
      </p>
    </form>
  );
}

function ForgotForm({ base }: { base: string }) {
  const sentTo = useSignal<string | undefined>(undefined);
  const form = useForm(async (text) => {
    await request(`${base}/auth/forgot-password`, { method: 'POST', json: { email: text('email') } });
    sentTo.value = text('email');
  });
  if (sentTo.value !== undefined) {
    return (
      <p class="note ok" role="status">
        If {sentTo.value} has an account, an email with a link to set a new password was sent to it.
      </p>
    );
  }
  return (
    <form class="form" onSubmit={form.onSubmit}>
      <EmailField id="forgot-email" />
      <Problem of={form.problem.value} />
      <p>
        <button class="button primary" disabled={form.isBusy.value}>
          Send the link
        </button>
      </p>
    </form>
  );
}
