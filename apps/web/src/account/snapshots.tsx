import { useSignal } from '@preact/signals';
import { useForm } from '../client/form.ts';
import { useResponse } from '../client/loaded.ts';
import { saveFile } from '../client/save-file.ts';
import { requestSignedIn } from '../client/session.ts';
import { dateText, numberText } from '../format.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { ScrollTable } from '../parts/scroll-table.tsx';
import { LinkButton } from '../parts/buttons.tsx';
import { Pending } from '../parts/pending.tsx';
import { Problem } from '../parts/problem.tsx';
import { Section } from './section.tsx';

export function Snapshots() {
  const snapshots = useResponse(requestSignedIn, '/versions');
  const toDelete = useSignal<{ id: number; name: string } | undefined>(undefined);
  const toDownload = useSignal({ id: 0, name: '' });
  const download = useForm(async () => {
    const { id, name } = toDownload.value;
    const { body } = await requestSignedIn(`/versions/${id}/export?format=json`);
    saveFile(`${name}.json`, body);
  });
  return (
    <Section id="snapshots" title="Personal snapshots">
      <p class="small muted">
        A personal snapshot stores a filter and the records that it matched when you saved it. Only you can see it. To
        cite records, use a release.
      </p>
      <Pending of={snapshots} />
      <Problem of={download.problem.value} />
      {snapshots.value.value?.length === 0 && <p class="muted">No snapshots yet.</p>}
      {snapshots.value.value && snapshots.value.value.length > 0 && (
        <form onSubmit={download.onSubmit}>
          <ScrollTable
            labelledBy="snapshots-title"
            heads={['Name', 'Saved', { number: 'Records' }, 'Filter', 'Actions']}
          >
            {snapshots.value.value.map(({ id, name, description, filterConfig, recordCount, createdAt }) => (
              <tr key={id}>
                <th scope="row">
                  {name}
                  {description !== undefined && <div class="muted">{description}</div>}
                </th>
                <td class="nowrap">{dateText(createdAt)}</td>
                <td class="number">{numberText(recordCount)}</td>
                <td>{filterText(filterConfig)}</td>
                <td class="actions">
                  <button
                    class="link"
                    disabled={download.isBusy.value}
                    aria-label={`Download JSON of snapshot “${name}”`}
                    onClick={() => (toDownload.value = { id, name })}
                  >
                    Download JSON
                  </button>
                  <LinkButton aria-label={`Delete snapshot “${name}”`} onClick={() => (toDelete.value = { id, name })}>
                    Delete
                  </LinkButton>
                </td>
              </tr>
            ))}
          </ScrollTable>
        </form>
      )}
      {toDelete.value && (
        <ConfirmDialog
          title={`Delete snapshot “${toDelete.value.name}”?`}
          confirmLabel="Delete snapshot"
          cancelLabel="Keep it"
          onAct={async () => {
            await requestSignedIn(`/versions/${toDelete.value?.id ?? ''}`, { method: 'DELETE' });
            await snapshots.reload();
          }}
          onClose={() => (toDelete.value = undefined)}
        >
          <p>The records remain in the dataset. The snapshot cannot be recovered.</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

function filterText(filter: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(filter);
  if (entries.length === 0) return 'all records';
  return entries
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
