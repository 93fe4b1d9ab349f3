import type { ResponseAt } from '@esd/api/operations';
import { useSignal } from '@preact/signals';
import { RequestError } from '../client/request.ts';
import { fieldText } from '../client/form.ts';
import { call, problemsOf } from '../client/call.ts';
import { countText } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../staff/failure.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { descriptionOf } from '../parts/text-field.tsx';
import { useStaff } from '../staff/service.ts';
import { useAct } from '../staff/use-act.ts';
import { type LoadedValue, useLoadedValue } from '../staff/use-loaded-value.ts';
import { type Entry, type ListField, type ListName, LISTS } from './list-fields.ts';

type Used = ResponseAt<'get', '/admin/metadata/{list}/{id}/use'>;

interface Props {
  list: ListName;
  /** Undefined for a new entry. */
  entry: Entry | undefined;
  /** The ETag of the list, for If-Match. */
  tag: string;
  reload: () => void;
  onClose: () => void;
  onDone: (text: string) => void;
}

export function EntryDialog({ list, entry, tag, reload, onClose, onDone }: Props) {
  const { request } = useStaff();
  const { fields, singular } = LISTS[list];
  const { isBusy, failure, run } = useAct();
  const isDeleting = useSignal(false);
  const name = entry === undefined ? '' : memberText(entry[fields[0]?.member ?? '']) || String(entry.id);
  const used = useLoadedValue(`${list} ${entry?.id}`, async (signal) => {
    if (entry === undefined) return undefined;
    const options = { parameters: { list, id: entry.id }, signal };
    return (await call(request, 'get', '/admin/metadata/{list}/{id}/use', options)).body;
  });
  const save = async (data: FormData): Promise<void> => {
    try {
      const json = bodyOf(data, fields);
      const headers = { 'If-Match': tag };
      if (entry) await request(`/metadata/${list}/${entry.id}`, { method: 'PUT', json, headers });
      else await request(`/metadata/${list}`, { method: 'POST', json, headers });
      onDone(entry ? `The ${singular} ${name} was changed.` : `The ${singular} was added.`);
    } catch (error) {
      // The input stays; the next attempt uses the reloaded list.
      if (error instanceof RequestError && error.status === 412) reload();
      throw error;
    }
  };
  if (isDeleting.value && entry) {
    return (
      <ConfirmDialog
        title={`Delete the ${singular} ${name}?`}
        confirmLabel={`Delete ${name}`}
        cancelLabel="Keep it"
        onClose={onClose}
        onAct={async () => {
          await request(`/metadata/${list}/${entry.id}`, { method: 'DELETE', headers: { 'If-Match': tag } });
          onDone(`The ${singular} ${name} was deleted.`);
        }}
      >
        <p>
          You can delete an entry only if no record has ever used it. Otherwise retire it: existing records keep it, but
          new records cannot use it.
        </p>
      </ConfirmDialog>
    );
  }
  const problems = problemsOf(failure.value);
  const isConflict = failure.value instanceof RequestError && failure.value.status === 412;
  return (
    <Dialog
      title={entry ? `Edit the ${singular} ${name}` : `Add to the list of ${LISTS[list].title.toLowerCase()}`}
      onClose={onClose}
    >
      {entry && <Use used={used} />}
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          void run(() => save(data));
        }}
      >
        {fields.map((field) => (
          <EntryField
            key={field.member}
            field={field}
            value={memberText(entry?.[field.member])}
            error={errorOf(problems, field)}
          />
        ))}
        <label class="check">
          <input type="checkbox" name="retired" defaultChecked={entry?.retired === true} /> Retired: existing records
          keep it, new records cannot use it
        </label>
        {isConflict ? (
          <p class="note warn" role="alert">
            Someone changed this list while you were editing. Check your input, then save it again.
          </p>
        ) : (
          <Failure error={failure.value} />
        )}
        <p class="row">
          <button class="button primary" disabled={isBusy.value}>
            {entry ? 'Save the changes' : `Add the ${singular}`}
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          {used.value?.records === 0 && (
            <button type="button" class="link" onClick={() => (isDeleting.value = true)}>
              Delete…
            </button>
          )}
        </p>
      </form>
    </Dialog>
  );
}

function Use({ used: { value, error, reload } }: { used: LoadedValue<Used | undefined> }) {
  if (error !== undefined) return <Failure error={error} again={reload} />;
  if (value === undefined) return <p class="muted">Counting the records that use it…</p>;
  if (value.records === 0) return <p>No record uses it.</p>;
  return (
    <p>
      <b>{countText(value.records, 'record uses', 'records use')} it.</b> These records do not change. If you rename the
      entry, its old name becomes an alias.
    </p>
  );
}

export function EntryField({ field, value, error }: { field: ListField; value: string; error: string | undefined }) {
  const { member, label, hint, kind, isRequired } = field;
  const id = `entry-${member}`;
  const common = { id, name: member, required: isRequired, ...descriptionOf(id, { hint, error }) };
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isRequired && <span class="hint"> required</span>}
      </label>
      {hint !== undefined && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {kind === 'texts' ? (
        <textarea {...common} rows={3} defaultValue={value} />
      ) : (
        <input {...common} inputMode={kind === 'number' ? 'decimal' : undefined} defaultValue={value} />
      )}
      {error !== undefined && (
        <span class="error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  );
}

function errorOf(problems: ReturnType<typeof problemsOf>, { member }: ListField): string | undefined {
  const found = problems.filter(({ path }) => path === member || path.startsWith(`${member}[`));
  return found.length === 0 ? undefined : found.map(({ message }) => message).join(' ');
}

function memberText(value: unknown): string {
  if (Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function bodyOf(data: FormData, fields: readonly ListField[]): Readonly<Record<string, unknown>> {
  const members = fields.flatMap(({ member, kind }): [string, unknown][] => {
    const text = fieldText(data, member).trim();
    if (kind === 'texts') {
      const lines = text.split('\n').map((line) => line.trim());
      return [[member, lines.filter((line) => line !== '')]];
    }
    if (text === '') return [];
    // The service reports a text that is not a number.
    return [[member, kind === 'number' && Number.isFinite(Number(text)) ? Number(text) : text]];
  });
  return { ...Object.fromEntries(members), retired: data.get('retired') !== null };
}
