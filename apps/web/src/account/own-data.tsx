import { useSignal } from '@preact/signals';
import { RequestError } from '../client/ask.ts';
import { askSignedIn, signOut } from '../client/session.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { TextField } from '../parts/text-field.tsx';
import { Section } from './section.tsx';

/** The end of the account. */
export function OwnData({ base, email }: { base: string; email: string }) {
  const isDeleting = useSignal(false);
  return (
    <Section id="own-data" title="Your data">
      <p class="small">
        Deleting the account removes your name, e-mail, tokens, snapshots, and what was never published. Published
        records stay, without your name.
      </p>
      <p>
        <button type="button" class="button danger" onClick={() => (isDeleting.value = true)}>
          Delete account…
        </button>
      </p>
      {isDeleting.value && (
        <ConfirmDialog
          title="Delete your account?"
          act="Delete account"
          keep="Keep it"
          onAct={async (text) => {
            if (text('email').trim().toLowerCase() !== email.toLowerCase()) {
              throw new RequestError(0, { message: `Type ${email}, the address of the account, to delete it.` });
            }
            await askSignedIn(`${base}/auth/profile`, { method: 'DELETE', json: { password: text('password') } });
            await signOut();
          }}
          onClose={() => (isDeleting.value = false)}
        >
          <p>
            Your name, e-mail, sessions, tokens, and snapshots are deleted at once, and so is what waits for review.
            Published records stay, without your name. This cannot be undone.
          </p>
          <TextField
            id="delete-email"
            name="email"
            label="Your e-mail"
            hint={`Type ${email}.`}
            autocomplete="off"
            required
            maxLength={254}
          />
          <TextField
            id="delete-password"
            name="password"
            label="Password"
            type="password"
            autocomplete="current-password"
            required
            maxLength={128}
          />
        </ConfirmDialog>
      )}
    </Section>
  );
}
