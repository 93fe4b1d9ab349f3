import type { EntryList } from '@esd/record/reference/list-names';
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
import { type Entry, type ListField, LISTS } from './list-fields.ts';
import { readAuthor } from './paper-form.ts';

type Used = ResponseAt<'get', '/admin/metadata/{list}/{id}/use'>;

interface Props {
  list: EntryList;
  /** A new entry has no id. */
  entry: Partial<Entry>;
  /** The ETag of the list, for If-Match. */
  tag?: string;
  reload: () => void;
  onClose: () => void;
  onDone: (text: string) => void;
}

/** Adds, changes, or deletes an entry of a reference list. */
export function EntryDialog({ list, entry, tag, reload, onClose, onDone }: Props) {
  const { request } = useStaff();
  const { fields, singular } = LISTS[list];
  const { isBusy, failure, run } = useAct();
  const isDeleting = useSignal(false);
  const { id } = entry;
  const isPaper = list === 'papers';
  const name = memberText(entry[isPaper ? 'title' : (fields[0]?.member ?? '')]) || String(id);
  const used = useLoadedValue(`${list} ${id}`, async (signal) => {
    if (isPaper || id === undefined) return undefined;
    const options = { parameters: { list, id }, signal };
    return (await call(request, 'get', '/admin/metadata/{list}/{id}/use', options)).body;
  });
  const path = id === undefined ? `/metadata/${list}` : `/metadata/${list}/${id}`;
  const headers: Record<string, string> = tag === undefined ? {} : { 'If-Match': tag };
  const save = async (data: FormData): Promise<void> => {
    try {
      const json = bodyOf(data, fields);
      if (!isPaper) json['retired'] = data.get('retired') !== null;
      await request(path, { method: id === undefined ? 'POST' : 'PUT', json, headers });
      const quotedName = isPaper ? `“${name}”` : name;
      onDone(id === undefined ? `The ${singular} was added.` : `The ${singular} ${quotedName} was changed.`);
    } catch (error) {
      // The input stays; the next attempt uses the reloaded list.
      if (error instanceof RequestError && error.status === 412) reload();
      throw error;
    }
  };
  if (isDeleting.value) {
    const what = isPaper ? `entry “${name}”` : `${singular} ${name}`;
    return (
      <ConfirmDialog
        title={isPaper ? 'Delete this entry?' : `Delete the ${what}?`}
        confirmLabel={isPaper ? 'Delete the entry' : `Delete ${name}`}
        cancelLabel="Keep it"
        onClose={onClose}
        onAct={async () => {
          await request(path, { method: 'DELETE', headers });
          onDone(`The ${what} was deleted.`);
        }}
      >
        <p>
          {isPaper
            ? `Records of the paper “${name}” remain, but lose its title, year, and journal.`
            : 'You can delete an entry only if no record has ever used it. Otherwise retire it: existing records keep it, but new records cannot use it.'}
        </p>
      </ConfirmDialog>
    );
  }
  const problems = problemsOf(failure.value);
  const isConflict = failure.value instanceof RequestError && failure.value.status === 412;
  return (
    <Dialog title={titleOf(list, id === undefined ? undefined : name)} onClose={onClose}>
      {id !== undefined && !isPaper && <Use used={used} />}
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
            value={memberText(entry[field.member])}
            error={errorOf(problems, field)}
          />
        ))}
        {!isPaper && (
          <label class="check">
            <input type="checkbox" name="retired" defaultChecked={entry.retired === true} /> Retired: existing records
            keep it, new records cannot use it
          </label>
        )}
        {isConflict ? (
          <p class="note warn" role="alert">
            Someone changed this list while you were editing. Check your input, then save it again.
          </p>
        ) : (
          <Failure error={failure.value} />
        )}
        <p class="row">
          <button class="button primary" disabled={isBusy.value}>
            {id === undefined ? `Add the ${singular}` : 'Save the changes'}
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          {(isPaper ? id !== undefined : used.value?.records === 0) && (
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

function EntryField({ field, value, error }: { field: ListField; value: string; error: string | undefined }) {
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
      {kind === 'texts' || kind === 'authors' ? (
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
  const ofMember = problems.filter(({ path }) => path === member || path.startsWith(`${member}[`));
  return ofMember.length === 0 ? undefined : ofMember.map(({ message }) => message).join(' ');
}

function titleOf(list: EntryList, name: string | undefined): string {
  const { title, singular } = LISTS[list];
  if (list === 'papers') return name === undefined ? 'Add a paper' : 'Edit the paper';
  return name === undefined ? `Add to the list of ${title.toLowerCase()}` : `Edit the ${singular} ${name}`;
}

/** Returns the value of a member as the text of a field, or in a table. */
export function memberText(value: unknown, separator = '\n'): string {
  if (Array.isArray(value)) return value.join(separator);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function bodyOf(data: FormData, fields: readonly ListField[]): Record<string, unknown> {
  const members = fields.flatMap(({ member, kind }): [string, unknown][] => {
    const text = fieldText(data, member).trim();
    if (kind === 'texts' || kind === 'authors') {
      const lines = text.split('\n').flatMap((line) => line.trim() || []);
      return [[member, kind === 'authors' ? lines.map(readAuthor) : lines]];
    }
    if (text === '') return [];
    // The service reports a text that is not a number.
    return [[member, kind === 'number' && Number.isFinite(Number(text)) ? Number(text) : text]];
  });
  return Object.fromEntries(members);
}
