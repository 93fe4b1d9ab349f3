import { useSignal } from '@preact/signals';
import { useForm } from '../client/form.ts';
import { useResponse } from '../client/loaded.ts';
import { requestSignedIn } from '../client/session.ts';
import { dateText } from '../format.ts';
import { NewPasswordField, PasswordField, TextField } from '../parts/text-field.tsx';
import { Pending } from '../parts/pending.tsx';
import { Problem } from '../parts/problem.tsx';
import { Section } from './section.tsx';

export function Profile() {
  const profile = useResponse(requestSignedIn, '/auth/profile');
  const isSaved = useSignal(false);
  const form = useForm(async (text) => {
    isSaved.value = false;
    await requestSignedIn('/auth/profile', {
      method: 'PUT',
      json: { name: text('name'), orcid: text('orcid').trim() },
    });
    await profile.reload();
    isSaved.value = true;
  });
  const { value: stored } = profile.value;
  return (
    <Section id="profile" title="Profile">
      <Pending of={profile} />
      {stored && (
        <form class="form" onSubmit={form.onSubmit} onInput={() => (isSaved.value = false)}>
          <p class="small muted">
            {stored.email}, registered on {dateText(stored.createdAt)}
          </p>
          <TextField
            id="profile-name"
            name="name"
            label="Name"
            autocomplete="name"
            required
            maxLength={200}
            defaultValue={stored.name}
          />
          <TextField
            id="profile-orcid"
            name="orcid"
            label="ORCID iD"
            hint="For example 0000-0002-1825-0097. Leave it empty if you do not have one."
            autocomplete="off"
            maxLength={100}
            defaultValue={stored.orcid}
          />
          <Problem of={form.problem.value} />
          <p class="row">
            <button class="button" disabled={form.isBusy.value}>
              Save profile
            </button>
            <span role="status">{isSaved.value && 'Saved.'}</span>
          </p>
        </form>
      )}
    </Section>
  );
}

export function Password({ email }: { email: string }) {
  const message = useSignal<string | undefined>(undefined);
  // A new key empties the form.
  const round = useSignal(0);
  const form = useForm(async (text) => {
    message.value = undefined;
    const revokeTokens = text('revoke') !== '';
    const json = { currentPassword: text('current'), newPassword: text('new'), revokeTokens };
    await requestSignedIn('/auth/change-password', { method: 'POST', json, hasPassword: true });
    round.value += 1;
    message.value = `Your password was changed, and all other sessions were ended.${revokeTokens ? ' Your tokens were revoked.' : ''}`;
  });
  return (
    <Section id="password" title="Password">
      <form class="form" key={round.value} onSubmit={form.onSubmit}>
        <input
          class="hidden-text"
          type="text"
          name="username"
          autocomplete="username"
          value={email}
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <PasswordField id="password-current" name="current" label="Current password" />
        <NewPasswordField id="password-new" name="new" label="New password" />
        <label class="check">
          <input type="checkbox" name="revoke" value="on" /> Also revoke all tokens
        </label>
        <Problem of={form.problem.value} />
        <p class="row">
          <button class="button" disabled={form.isBusy.value}>
            Change password
          </button>
        </p>
      </form>
      <p role="status">{message}</p>
    </Section>
  );
}
