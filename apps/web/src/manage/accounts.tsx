import type { ResponseAt } from '@esd/api/operations';
import { useSignal } from '@preact/signals';
import { call } from '../client/call.ts';
import { dateText } from '../format.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { useStaff } from '../staff/service.ts';
import { useRows } from '../staff/use-rows.ts';
import { LinkButton } from '../parts/buttons.tsx';
import { FilterForm } from './filter-form.tsx';
import type { SectionProps } from './section.ts';
import { Rows } from './rows.tsx';

const ROLES = ['USER', 'MODERATOR', 'ADMIN'] as const;
type Role = (typeof ROLES)[number];

type Account = ResponseAt<'get', '/admin/accounts'>['data'][number];

const MEANINGS: Readonly<Record<Role, string>> = {
  USER: 'They can contribute, but no longer see the review queue.',
  MODERATOR: 'They can see the review queue, and approve, reject, and withdraw records.',
  ADMIN:
    'They can do everything that moderators can, and also change roles, edit the reference lists, freeze releases, and read the audit trail.',
};

export function Accounts({ notify }: SectionProps) {
  const { base } = useStaff();
  const filters = useSignal<Readonly<Record<string, string>>>({});
  const accounts = useRows('accounts', filters.value, (request, options) =>
    call(request, 'get', '/admin/accounts', options),
  );
  const change = useSignal<{ of: Account; to: Role | boolean } | undefined>(undefined);
  return (
    <section aria-labelledby="accounts">
      <h2 id="accounts">Accounts</h2>
      <FilterForm
        fields={[
          { name: 'search', label: 'Email or name' },
          { name: 'role', label: 'Role', options: ROLES.map((role) => [role, role]) },
          {
            name: 'enabled',
            label: 'State',
            options: [
              ['true', 'enabled'],
              ['false', 'disabled'],
            ],
          },
        ]}
        onFilter={(values) => (filters.value = values)}
      />
      <Rows
        labelledBy="accounts"
        heads={['Email', 'Name', 'Registered', 'Role', 'State', 'Activity']}
        none="No account matches."
        shown={accounts.value?.data.length}
        total={accounts.value?.total ?? 0}
        {...accounts}
      >
        {accounts.value?.data.map((account) => (
          <tr key={account.id}>
            <th scope="row">
              {account.email}
              {!account.emailVerified && <span class="muted"> · not verified</span>}
            </th>
            <td>{account.name}</td>
            <td class="nowrap">{dateText(account.createdAt)}</td>
            <td>
              <select
                aria-label={`Role of ${account.email}`}
                value={account.role}
                onChange={({ currentTarget }) => {
                  const to = ROLES.find((role) => role === currentTarget.value);
                  // The new role is shown only after the service has granted it.
                  currentTarget.value = account.role;
                  if (to) change.value = { of: account, to };
                }}
              >
                {ROLES.map((role) => (
                  <option key={role}>{role}</option>
                ))}
              </select>
            </td>
            <td class="nowrap">
              {account.enabled ? 'enabled' : <b>disabled</b>}{' '}
              <LinkButton
                aria-label={`${account.enabled ? 'Disable' : 'Enable'} ${account.email}`}
                onClick={() => (change.value = { of: account, to: !account.enabled })}
              >
                {account.enabled ? 'Disable' : 'Enable'}
              </LinkButton>
            </td>
            <td>
              <a
                href={`${base}/manage?section=audit&actor=${account.id}`}
                aria-label={`Audit trail of ${account.email}`}
              >
                Audit trail
              </a>
            </td>
          </tr>
        ))}
      </Rows>
      {change.value && (
        <ChangeDialog
          {...change.value}
          onClose={() => (change.value = undefined)}
          onDone={(text) => {
            notify(text);
            accounts.reload();
          }}
        />
      )}
    </section>
  );
}

interface ChangeProps {
  of: Account;
  /** A role, or whether the account is enabled. */
  to: Role | boolean;
  onClose: () => void;
  onDone: (text: string) => void;
}

function ChangeDialog({ of: { id, email }, to, onClose, onDone }: ChangeProps) {
  const { request } = useStaff();
  if (typeof to === 'string') {
    return (
      <ConfirmDialog
        title={`Change the role of ${email} to ${to}?`}
        confirmLabel="Change the role"
        cancelLabel="Cancel"
        onClose={onClose}
        onAct={async () => {
          await request(`/admin/accounts/${id}/role`, { method: 'PUT', json: { role: to }, isRepeatable: true });
          onDone(`${email} now has the role ${to}.`);
        }}
      >
        <p>{MEANINGS[to]} It takes effect on their next request; they are notified by email.</p>
      </ConfirmDialog>
    );
  }
  const verb = to ? 'Enable' : 'Disable';
  return (
    <ConfirmDialog
      title={`${verb} the account of ${email}?`}
      confirmLabel={`${verb} the account`}
      cancelLabel="Cancel"
      onClose={onClose}
      onAct={async () => {
        await request(`/admin/accounts/${id}/enabled`, { method: 'PUT', json: { enabled: to }, isRepeatable: true });
        onDone(`The account of ${email} is now ${to ? 'enabled' : 'disabled'}.`);
      }}
    >
      <p>
        {to
          ? 'They can sign in again, and their tokens work again.'
          : 'This signs them out and blocks their tokens immediately. Their records remain.'}
      </p>
    </ConfirmDialog>
  );
}
