import { useSignal } from '@preact/signals';
import { call } from '../client/call.ts';
import { useStaff } from '../staff/service.ts';
import { useLoadedValue } from '../staff/use-loaded-value.ts';
import { EntryDialog } from './entry-dialog.tsx';
import { type Entry, LIST_NAMES, type ListField, type ListName, LISTS } from './list-fields.ts';
import type { SectionProps } from './section.ts';
import { Rows } from './rows.tsx';

const STEP = 50;

export function Lists({ notify }: SectionProps) {
  const { request } = useStaff();
  const name = useSignal<ListName>('polymers');
  const search = useSignal('');
  const limit = useSignal(STEP);
  const open = useSignal<Entry | 'new' | undefined>(undefined);
  const list = useLoadedValue(name.value, async (signal) => {
    const { body, headers } = await call(request, 'get', `/metadata/${name.value}`, { signal });
    const entries: Entry[] = Array.isArray(body)
      ? body
      : Object.entries(body).flatMap(([category, group]) => group.map((entry) => ({ ...entry, category })));
    return { of: name.value, entries, tag: headers.get('ETag') ?? '' };
  });
  const { fields, singular } = LISTS[name.value];
  const isCurrent = list.value?.of === name.value;
  const wanted = search.value.trim().toLowerCase();
  const found = (isCurrent ? (list.value?.entries ?? []) : []).filter(
    (one) => wanted === '' || fields.some((field) => textOf(one, field).toLowerCase().includes(wanted)),
  );
  const [own, ...others] = fields;
  const shownFields = others.filter(({ member }) => COLUMNS.includes(member));
  return (
    <section aria-labelledby="lists">
      <div class="row spread">
        <h2 id="lists">Reference lists</h2>
        <button type="button" class="button" onClick={() => (open.value = 'new')}>
          Add {/^[aeiou]/.test(singular) && singular !== 'unit' ? 'an' : 'a'} {singular}
        </button>
      </div>
      <p class="row filter">
        <select
          aria-label="List"
          value={name.value}
          onChange={({ currentTarget: { value } }) => {
            name.value = LIST_NAMES.find((one) => one === value) ?? 'polymers';
            limit.value = STEP;
          }}
        >
          {LIST_NAMES.map((one) => (
            <option key={one} value={one}>
              {LISTS[one].title}
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
        heads={[own?.label ?? 'Name', ...shownFields.map(({ label }) => label), 'Actions']}
        none={wanted === '' ? 'The list is empty.' : `No name matches “${search.value.trim()}”.`}
        shown={isCurrent ? Math.min(limit.value, found.length) : undefined}
        total={found.length}
        isLoading={list.isLoading}
        error={list.error}
        reload={list.reload}
        more={found.length > limit.value ? () => (limit.value += STEP) : undefined}
      >
        {found.slice(0, limit.value).map((one) => (
          <tr key={one.id}>
            <th scope="row">
              {own && textOf(one, own)}
              {one.retired === true && <span class="muted"> · retired</span>}
            </th>
            {shownFields.map((field) => (
              <td key={field}>{textOf(one, field)}</td>
            ))}
            <td>
              <button
                type="button"
                class="link"
                aria-label={`Edit ${own ? textOf(one, own) : one.id}`}
                onClick={() => (open.value = one)}
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
          entry={open.value === 'new' ? undefined : open.value}
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

function textOf(one: Entry, { member }: ListField): string {
  const value = one[member];
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
