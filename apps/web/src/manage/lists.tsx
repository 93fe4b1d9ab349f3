import { LIST_NAMES } from '@esd/record/reference/list-names';
import { useSignal } from '@preact/signals';
import { call } from '../client/call.ts';
import { useStaff } from '../staff/service.ts';
import { useLoadedValue } from '../staff/use-loaded-value.ts';
import { EntryDialog, memberText } from './entry-dialog.tsx';
import { type Entry, type ListField, type ListName, LISTS } from './list-fields.ts';
import type { SectionProps } from './section.ts';
import { Rows } from './rows.tsx';

const STEP = 50;

export function Lists({ notify }: SectionProps) {
  const { request } = useStaff();
  const name = useSignal<ListName>('polymers');
  const search = useSignal('');
  const limit = useSignal(STEP);
  const open = useSignal<Partial<Entry> | undefined>(undefined);
  const list = useLoadedValue(name.value, async (signal) => {
    const { body, headers } = await call(request, 'get', `/metadata/${name.value}`, { signal });
    const entries: Entry[] = Array.isArray(body)
      ? body
      : Object.entries(body).flatMap(([category, group]) => group.map((entry) => ({ ...entry, category })));
    return { of: name.value, entries, tag: headers.get('ETag') ?? '' };
  });
  const { fields, singular } = LISTS[name.value];
  const isCurrent = list.value?.of === name.value;
  const searched = search.value.trim().toLowerCase();
  const matching = (isCurrent ? (list.value?.entries ?? []) : []).filter(
    (entry) => searched === '' || fields.some((field) => textOf(entry, field).toLowerCase().includes(searched)),
  );
  const [ownName, ...others] = fields;
  const shownFields = others.filter(({ member }) => COLUMNS.includes(member));
  return (
    <section aria-labelledby="lists">
      <div class="row spread">
        <h2 id="lists">Reference lists</h2>
        <button type="button" class="button" onClick={() => (open.value = {})}>
          Add {/^[aeiou]/.test(singular) && singular !== 'unit' ? 'an' : 'a'} {singular}
        </button>
      </div>
      <p class="row filter">
        <select
          aria-label="List"
          value={name.value}
          onChange={({ currentTarget: { value } }) => {
            name.value = LIST_NAMES.find((option) => option === value) ?? 'polymers';
            limit.value = STEP;
          }}
        >
          {LIST_NAMES.map((option) => (
            <option key={option} value={option}>
              {LISTS[option].title}
            </option>
          ))}
        </select>
        <input
          type="search"
          aria-label={`Find a ${singular}`}
          placeholder="Find by any name"
          value={search.value}
          onInput={({ currentTarget: { value } }) => (search.value = value)}
        />
      </p>
      <Rows
        labelledBy="lists"
        heads={[ownName?.label ?? 'Name', ...shownFields.map(({ label }) => label), 'Actions']}
        none={searched === '' ? 'The list is empty.' : `No name matches “${search.value.trim()}”.`}
        shown={isCurrent ? Math.min(limit.value, matching.length) : undefined}
        total={matching.length}
        isLoading={list.isLoading}
        error={list.error}
        reload={list.reload}
        more={matching.length > limit.value ? () => (limit.value += STEP) : undefined}
      >
        {matching.slice(0, limit.value).map((entry) => (
          <tr key={entry.id}>
            <th scope="row">
              {ownName && textOf(entry, ownName)}
              {entry.retired === true && <span class="muted"> · retired</span>}
            </th>
            {shownFields.map((field) => (
              <td key={field}>{textOf(entry, field)}</td>
            ))}
            <td>
              <button
                type="button"
                class="link"
                aria-label={`Edit ${ownName ? textOf(entry, ownName) : entry.id}`}
                onClick={() => (open.value = entry)}
              >
                Edit
              </button>
            </td>
          </tr>
        ))}
      </Rows>
      {open.value !== undefined && list.value && isCurrent && (
        <EntryDialog
          list={name.value}
          entry={open.value}
          tag={list.value.tag}
          reload={list.reload}
          onClose={() => (open.value = undefined)}
          onDone={(text) => {
            notify(text);
            open.value = undefined;
            list.reload();
          }}
        />
      )}
    </section>
  );
}

// The dialog shows the other members.
const COLUMNS = ['fullName', 'name', 'category', 'definition', 'dimension', 'aliases', 'synonyms'];

function textOf(entry: Entry, { member }: ListField): string {
  return memberText(entry[member], ', ');
}
