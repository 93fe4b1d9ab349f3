import { useSignal } from '@preact/signals';
import { useForm } from '../client/form.ts';
import { useResponse } from '../client/loaded.ts';
import { requestSignedIn, signOutEverywhere } from '../client/session.ts';
import { dateText } from '../format.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { ScrollTable } from '../parts/scroll-table.tsx';
import { Button } from '../parts/buttons.tsx';
import { Pending } from '../parts/pending.tsx';
import { Problem } from '../parts/problem.tsx';
import { Section } from './section.tsx';

export function Sessions() {
  const sessions = useResponse(requestSignedIn, '/auth/sessions');
  const isLeaving = useSignal(false);
  const ending = useSignal('');
  const form = useForm(async () => {
    await requestSignedIn(`/auth/sessions/${ending.value}`, { method: 'DELETE' });
    await sessions.reload();
  });
  return (
    <Section
      id="sessions"
      title="Sessions"
      actions={<Button onClick={() => (isLeaving.value = true)}>Sign out everywhere</Button>}
    >
      <Pending of={sessions} />
      <Problem of={form.problem.value} />
      {sessions.value.value && (
        <form onSubmit={form.onSubmit}>
          <ScrollTable
            labelledBy="sessions-title"
            heads={['Browser or program', 'Network', 'Since', 'Ends', 'Actions']}
          >
            {sessions.value.value.map(({ id, userAgent, network, createdAt, expiresAt, current }) => (
              <tr key={id}>
                <th scope="row" class="agent">
                  {userAgent ?? <span class="muted">unknown</span>}
                </th>
                <td class="nowrap">{network ?? <span class="muted">unknown</span>}</td>
                <td class="nowrap">{dateText(createdAt)}</td>
                <td class="nowrap">{dateText(expiresAt)}</td>
                <td class="nowrap">
                  {current ? (
                    <b>this one</b>
                  ) : (
                    <button
                      class="link"
                      disabled={form.isBusy.value}
                      aria-label={`End the session of ${dateText(createdAt)}, ${userAgent ?? 'unknown program'}`}
                      onClick={() => (ending.value = id)}
                    >
                      End
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </ScrollTable>
        </form>
      )}
      {isLeaving.value && (
        <ConfirmDialog
          title="Sign out everywhere?"
          confirmLabel="Sign out everywhere"
          cancelLabel="Stay signed in"
          onAct={signOutEverywhere}
          onClose={() => (isLeaving.value = false)}
        >
          <p>
            Every browser and program that is signed in as you must sign in again, including this one. Tokens remain
            valid.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  );
}
