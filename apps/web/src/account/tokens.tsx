import { useSignal } from '@preact/signals';
import type { ResponseAt } from '@esd/api/operations';
import { call } from '../client/call.ts';
import { moveFocus } from '../client/move-focus.ts';
import { requestSignedIn } from '../client/session.ts';
import { useForm } from '../client/form.ts';
import { useResponse } from '../client/loaded.ts';
import { countText, dateText } from '../format.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { ScrollTable } from '../parts/scroll-table.tsx';
import { TextField } from '../parts/text-field.tsx';
import { Button, LinkButton } from '../parts/buttons.tsx';
import { Pending } from '../parts/pending.tsx';
import { Badge } from '../parts/badge.tsx';
import { FormEnd, Section } from './section.tsx';

const NEW = 'new-token-button';
const NOTE = 'token-note';
const SOON_DAYS = 7;

type Token = ResponseAt<'get', '/auth/tokens'>[number];
type NewToken = ResponseAt<'post', '/auth/tokens'>;
type TokenAct = 'revoke' | 'regenerate';

export function Tokens() {
  const tokens = useResponse(requestSignedIn, '/auth/tokens');
  const isAdding = useSignal(false);
  const created = useSignal<NewToken | undefined>(undefined);
  const toConfirm = useSignal<{ act: TokenAct; token: Token } | undefined>(undefined);
  const shown = tokens.value.value?.filter(({ status }) => status !== 'REVOKED') ?? [];
  const act = async (): Promise<void> => {
    if (!toConfirm.value) return;
    const { id } = toConfirm.value.token;
    if (toConfirm.value.act === 'regenerate') {
      created.value = (
        await call(requestSignedIn, 'post', '/auth/tokens/{id}/regenerate', { parameters: { id } })
      ).body;
    } else {
      await requestSignedIn(`/auth/tokens/${id}`, { method: 'DELETE' });
      if (created.value?.id === id) created.value = undefined;
    }
    await tokens.reload();
  };
  return (
    <Section
      id="tokens"
      title="Tokens"
      actions={
        <Button id={NEW} onClick={() => (isAdding.value = true)}>
          New token
        </Button>
      }
    >
      <p class="small muted">
        With a token, a script can submit and update records on your behalf. Reading needs no token.
      </p>
      {isAdding.value && (
        <NewTokenForm
          onMade={(token) => {
            created.value = token;
            isAdding.value = false;
            moveFocus(NOTE);
            void tokens.reload();
          }}
          onClose={() => {
            isAdding.value = false;
            moveFocus(NEW);
          }}
        />
      )}
      {created.value && <NewTokenNote token={created.value} />}
      <Pending of={tokens} />
      {tokens.value.value && shown.length === 0 && <p class="muted">No tokens yet.</p>}
      {shown.length > 0 && <TokenTable tokens={shown} onAct={(act, token) => (toConfirm.value = { act, token })} />}
      {toConfirm.value && (
        <ConfirmDialog
          title={`${toConfirm.value.act === 'revoke' ? 'Revoke' : 'Regenerate'} token “${toConfirm.value.token.name}”?`}
          confirmLabel={toConfirm.value.act === 'revoke' ? 'Revoke token' : 'Regenerate token'}
          cancelLabel="Keep it"
          onAct={act}
          onClose={() => {
            if (created.value?.id === toConfirm.value?.token.id) moveFocus(NOTE);
            toConfirm.value = undefined;
          }}
        >
          <p>
            Scripts that use this token stop working immediately.
            {toConfirm.value.act === 'regenerate' && ' The new token has the same name and is shown once.'}
          </p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

/** Shows the secret of a token, which the service returns only once. */
function NewTokenNote({ token }: { token: NewToken }) {
  return (
    <div class="note ok" id={NOTE} role="group" aria-labelledby="token-note-title">
      <p id="token-note-title">
        <b>Token “{token.name}” is ready.</b> Copy it now: it is not shown again and cannot be recovered.
      </p>
      <p class="secret">
        <input id="new-token" readOnly aria-label="New token" value={token.token} autocomplete="off" />
        <Button class="primary" data-copy="new-token">
          Copy token
        </Button>
      </p>
    </div>
  );
}

function TokenTable({ tokens, onAct }: { tokens: readonly Token[]; onAct: (act: TokenAct, token: Token) => void }) {
  return (
    <ScrollTable
      labelledBy="tokens-title"
      heads={['Name', 'Begins with', 'Created', 'Last used', 'Expires', 'Actions']}
    >
      {tokens.map((token) => (
        <tr key={token.id}>
          <th scope="row">{token.name}</th>
          <td>
            <code>{token.prefix}…</code>
          </td>
          <td class="nowrap">{dateText(token.createdAt)}</td>
          <td class="nowrap">
            {token.lastUsedAt === undefined ? <span class="muted">never</span> : dateText(token.lastUsedAt)}
          </td>
          <td class="nowrap">
            <Expiry token={token} />
          </td>
          <td class="actions">
            <LinkButton aria-label={`Regenerate token “${token.name}”`} onClick={() => onAct('regenerate', token)}>
              Regenerate
            </LinkButton>
            <LinkButton aria-label={`Revoke token “${token.name}”`} onClick={() => onAct('revoke', token)}>
              Revoke
            </LinkButton>
          </td>
        </tr>
      ))}
    </ScrollTable>
  );
}

const daysUntil = (time: string): number => Math.ceil((Date.parse(time) - Date.now()) / 86_400_000);

function Expiry({ token: { expiresAt, status } }: { token: Token }) {
  if (expiresAt === undefined) return <span class="muted">never</span>;
  const days = daysUntil(expiresAt);
  if (status === 'EXPIRED') return <span class="muted">{dateText(expiresAt)} (expired)</span>;
  const remaining = `(in ${countText(days, 'day')})`;
  if (days > SOON_DAYS) {
    return (
      <>
        {dateText(expiresAt)} <span class="muted">{remaining}</span>
      </>
    );
  }
  return <Badge of={['needs', '!', `${dateText(expiresAt)} ${remaining}`]} />;
}

interface FormProps {
  onMade: (token: NewToken) => void;
  onClose: () => void;
}

function NewTokenForm({ onMade, onClose }: FormProps) {
  const form = useForm(async (text) => {
    const days = Number(text('days'));
    const json = { name: text('name'), ...(days > 0 ? { expiresInDays: days } : {}) };
    onMade((await call(requestSignedIn, 'post', '/auth/tokens', { json })).body);
  });
  return (
    <form class="form panel" onSubmit={form.onSubmit}>
      <TextField
        id="token-name"
        name="name"
        label="Name"
        hint="The purpose of the token, for example “lab notebook”."
        autocomplete="off"
        required
        maxLength={100}
      />
      <p class="field">
        <label for="token-days">Expires</label>
        <select id="token-days" name="days">
          <option value="30">in 30 days</option>
          <option value="90" selected>
            in 90 days
          </option>
          <option value="365">in 365 days</option>
          <option value="0">never</option>
        </select>
      </p>
      <FormEnd form={form} act="Create token" onCancel={onClose} />
    </form>
  );
}
