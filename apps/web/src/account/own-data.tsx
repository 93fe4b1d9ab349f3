import { signal, useSignal } from '@preact/signals';
import { RequestError } from '../client/request.ts';
import { useForm } from '../client/form.ts';
import { saveFile } from '../client/save-file.ts';
import { requestSignedIn, signOut } from '../client/session.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { PasswordField, TextField } from '../parts/text-field.tsx';
import { Button } from '../parts/buttons.tsx';
import { Problem } from '../parts/problem.tsx';
import { Section } from './section.tsx';

/** The address of the account that was deleted on this page. */
export const deletedEmail = signal<string | undefined>(undefined);

export function OwnData({ email }: { email: string }) {
  const isDeleting = useSignal(false);
  const download = useForm(async () => {
    const { body } = await requestSignedIn('/auth/profile/export');
    saveFile('my-data.json', body);
  });
  return (
    <Section id="own-data" title="Your data">
      <p class="small">
        You can download everything that the service stores about you as JSON: your account, sessions, tokens without
        their secrets, submissions with their history and messages, images, snapshots, and activity.
      </p>
      <form class="form" onSubmit={download.onSubmit}>
        <Problem of={download.problem.value} />
        <p>
          <button class="button" disabled={download.isBusy.value}>
            {download.isBusy.value ? 'Collecting…' : 'Download all my data'}
          </button>
        </p>
      </form>
      <p class="small">
        Deleting the account removes your name, email, tokens, snapshots, and unpublished records. Published records
        remain, without your name.
      </p>
      <p>
        <Button class="danger" onClick={() => (isDeleting.value = true)}>
          Delete account…
        </Button>
      </p>
      {isDeleting.value && (
        <ConfirmDialog
          title="Delete your account?"
          confirmLabel="Delete account"
          cancelLabel="Keep it"
          onAct={async (text) => {
            if (text('email').trim().toLowerCase() !== email.toLowerCase()) {
              throw new RequestError(0, { message: `Type ${email} to delete the account.` });
            }
            const json = { password: text('password') };
            await requestSignedIn('/auth/profile', { method: 'DELETE', json, hasPassword: true });
            deletedEmail.value = email;
            await signOut();
          }}
          onClose={() => (isDeleting.value = false)}
        >
          <p>
            Your name, email, sessions, tokens, snapshots, and unpublished records are deleted immediately. Published
            records remain, without your name. This cannot be undone.
          </p>
          <TextField
            id="delete-email"
            name="email"
            label="Your email"
            hint={`Type ${email}.`}
            autocomplete="off"
            required
            maxLength={254}
          />
          <PasswordField id="delete-password" name="password" label="Password" />
        </ConfirmDialog>
      )}
    </Section>
  );
}
