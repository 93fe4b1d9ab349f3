import type { ResponseAt } from '@esd/api/operations';
import { useSignal } from '@preact/signals';
import { call } from '../client/call.ts';
import { saveCsv } from '../client/save-csv.ts';
import { Failure } from '../staff/failure.tsx';
import { useStaff } from '../staff/service.ts';
import { useRows } from '../staff/use-rows.ts';
import { Button } from '../parts/buttons.tsx';
import { FilterForm } from './filter-form.tsx';
import type { SectionProps } from './section.ts';
import { Rows } from './rows.tsx';

type AuditEntry = ResponseAt<'get', '/admin/audit'>['data'][number];

const PAGE_SIZE = 1_000;
const MAX_EXPORTED = 100_000;
const HEADS = ['id', 'at', 'action', 'actor', 'subject', 'request', 'client', 'details'];

export function Audit({ notify }: SectionProps) {
  const { request } = useStaff();
  const actor = new URLSearchParams(location.search).get('actor') ?? '';
  const filters = useSignal<Readonly<Record<string, string>>>({ actor });
  const trail = useRows('audit', filters.value, (send, options) => call(send, 'get', '/admin/audit', options));
  const failure = useSignal<unknown>(undefined);
  const written = useSignal<number | undefined>(undefined);
  const save = async (): Promise<void> => {
    failure.value = undefined;
    written.value = 0;
    try {
      const rows: AuditEntry[] = [];
      const given = Object.fromEntries(Object.entries(filters.value).filter(([, value]) => value !== ''));
      // New entries come first and would shift the pages; an end time excludes them.
      const to = given['to'] ?? new Date().toISOString();
      for (;;) {
        const query = new URLSearchParams({ ...given, to, skip: String(rows.length), limit: String(PAGE_SIZE) });
        const { data, total } = (await call(request, 'get', '/admin/audit', { query: query.toString() })).body;
        rows.push(...data);
        written.value = rows.length;
        if (data.length === 0 || rows.length >= Math.min(total, MAX_EXPORTED)) break;
      }
      saveCsv('audit.csv', HEADS, rows.map(cells));
      notify(`Entries saved to audit.csv: ${rows.length}.`);
    } catch (error) {
      failure.value = error;
    } finally {
      written.value = undefined;
    }
  };
  return (
    <section aria-labelledby="audit">
      <div class="row spread">
        <h2 id="audit">Audit trail</h2>
        <Button disabled={written.value !== undefined} onClick={() => void save()}>
          {written.value === undefined ? 'Download as CSV' : `Reading ${written.value}…`}
        </Button>
      </div>
      <FilterForm
        fields={[
          { name: 'action', label: 'Action, such as login' },
          { name: 'actor', label: 'Acting account (ID)', value: actor },
          { name: 'subject', label: 'Affected account (ID)' },
          { name: 'from', label: 'From', type: 'date' },
          { name: 'to', label: 'Before', type: 'date' },
        ]}
        onFilter={({ from = '', to = '', ...texts }) => {
          filters.value = { ...texts, from: startOf(from), to: startOf(to) };
        }}
      />
      <Failure error={failure.value} />
      <Rows
        labelledBy="audit"
        heads={['When', 'Action', 'Acting account', 'Affected account', 'Details']}
        none="No entry matches."
        shown={trail.value?.data.length}
        total={trail.value?.total ?? 0}
        {...trail}
      >
        {trail.value?.data.map((entry) => (
          <tr key={entry.id}>
            <td class="nowrap">
              <time dateTime={entry.at}>{entry.at.replace('T', ' ').slice(0, 19)}</time>
            </td>
            <th scope="row">{entry.action}</th>
            <td>
              {entry.actor === undefined ? (
                <span class="muted">no account</span>
              ) : (
                <code>{entry.actor.slice(0, 8)}</code>
              )}
            </td>
            <td>{entry.subject !== undefined && <code>{entry.subject.slice(0, 8)}</code>}</td>
            <td>{detailText(entry)}</td>
          </tr>
        ))}
      </Rows>
    </section>
  );
}

function detailText({ details, clientIp }: AuditEntry): string {
  const facts = Object.entries(details).map(([name, value]) => `${name} ${value}`);
  return [...facts, ...(clientIp === undefined ? [] : [`from ${clientIp}`])].join(', ');
}

function cells({ id, at, action, actor = '', subject = '', requestId, clientIp = '', details }: AuditEntry): string[] {
  return [String(id), at, action, actor, subject, requestId, clientIp, JSON.stringify(details)];
}

/** Returns the start of a day in UTC, or an empty text for no day. */
function startOf(day: string): string {
  return day === '' ? '' : `${day}T00:00:00Z`;
}
