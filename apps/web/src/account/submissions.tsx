import { useSignal } from '@preact/signals';
import { useLoaded } from '../client/loaded.ts';
import { countText, dateText, numberText } from '../format.ts';
import { materialsOf } from '../materials.ts';
import { ScrollTable } from '../parts/scroll-table.tsx';
import { StatusBadge, statusText } from '../parts/status-badge.tsx';
import {
  type OwnRecord,
  read,
  type Status,
  type Submission,
  submission as submissionShape,
  submissions as submissionsShape,
} from './response-shapes.ts';
import { History } from './history.tsx';
import { Messages } from './messages.tsx';
import { Pending, Section } from './section.tsx';

const STATUSES: readonly Status[] = ['NEEDS_UPDATE', 'REJECTED', 'PENDING', 'APPROVED'];
const STEP = 20;

export function Submissions({ base }: { base: string }) {
  const submissions = useLoaded(async () => (await read(submissionsShape, `${base}/data/my-submissions`)).reverse());
  const filter = useSignal<Status | undefined>(undefined);
  const shown = useSignal(STEP);
  const all = submissions.value.value ?? [];
  const total = (status: Status): number => all.reduce((sum, { counts }) => sum + (counts[status] ?? 0), 0);
  const { value: wanted } = filter;
  const matching = wanted === undefined ? all : all.filter(({ counts }) => (counts[wanted] ?? 0) > 0);
  return (
    <Section
      id="submissions"
      title="Submissions"
      actions={
        <p class="row">
          {all.length > 0 && (
            <label class="small muted">
              Status{' '}
              <select
                onChange={({ currentTarget }) => {
                  filter.value = STATUSES.find((status) => status === currentTarget.value);
                  shown.value = STEP;
                }}
              >
                <option value="">
                  All (
                  {countText(
                    all.reduce((sum, one) => sum + one.recordCount, 0),
                    'record',
                  )}
                  )
                </option>
                {STATUSES.filter((status) => total(status) > 0).map((status) => (
                  <option key={status} value={status}>
                    {statusText(status)} ({numberText(total(status))})
                  </option>
                ))}
              </select>
            </label>
          )}
          <a class="button primary" href={`${base}/contribute`}>
            Contribute
          </a>
        </p>
      }
    >
      <Pending of={submissions} />
      {submissions.value.value?.length === 0 && (
        <p class="muted">
          No submissions yet. <a href={`${base}/contribute`}>Contribute your first experiment.</a>
        </p>
      )}
      {matching.length > 0 && (
        <ScrollTable labelledBy="submissions-title">
          <thead>
            <tr>
              <th scope="col">No.</th>
              <th scope="col">Sent</th>
              <th scope="col" class="number">
                Records
              </th>
              <th scope="col">Status</th>
            </tr>
          </thead>
          <tbody>
            {matching.slice(0, shown.value).map((one) => (
              <Row key={one.submissionId} base={base} submission={one} />
            ))}
          </tbody>
        </ScrollTable>
      )}
      {matching.length > shown.value && (
        <button type="button" class="link" onClick={() => (shown.value += STEP)}>
          Show {Math.min(STEP, matching.length - shown.value)} more
        </button>
      )}
    </Section>
  );
}

function Row({ base, submission }: { base: string; submission: Submission }) {
  const { submissionId, submittedAt, recordCount, counts } = submission;
  const isOpen = useSignal(false);
  return (
    <>
      <tr>
        <th scope="row" class="id">
          <button
            type="button"
            class="link"
            aria-expanded={isOpen.value}
            aria-label={`Submission ${submissionId}`}
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            {submissionId}
          </button>
        </th>
        <td class="nowrap">{dateText(submittedAt)}</td>
        <td class="number">{numberText(recordCount)}</td>
        <td>
          {STATUSES.filter((status) => (counts[status] ?? 0) > 0).map((status) => (
            <div key={status}>
              <StatusBadge
                status={status}
                {...(counts[status] === recordCount ? {} : { count: counts[status] ?? 0 })}
              />
            </div>
          ))}
          {recordCount === 0 && <span class="muted">no records</span>}
        </td>
      </tr>
      {isOpen.value && (
        <tr>
          <td colSpan={4}>
            <Records base={base} submissionId={submissionId} />
          </td>
        </tr>
      )}
    </>
  );
}

function Records({ base, submissionId }: { base: string; submissionId: number }) {
  const loaded = useLoaded(() => read(submissionShape, `${base}/data/submission/${submissionId}`));
  const records = loaded.value.value?.experimentData ?? [];
  const isWhole = useSignal(false);
  return (
    <>
      <Pending of={loaded} />
      <ul class="records">
        {records.slice(0, isWhole.value ? undefined : STEP).map((record) => (
          <OwnRecordLine key={record.recordId} base={base} record={record} />
        ))}
      </ul>
      {records.length > STEP && !isWhole.value && (
        <button type="button" class="link" onClick={() => (isWhole.value = true)}>
          Show all {numberText(records.length)} records
        </button>
      )}
    </>
  );
}

function OwnRecordLine({ base, record }: { base: string; record: OwnRecord }) {
  const { recordId, status, rejectionReason, missingFields, revision, publishedRevision, withdrawn } = record;
  const isWriting = useSignal(false);
  const showsHistory = useSignal(false);
  const edit = `${base}/contribute?record=${recordId}`;
  const isWaiting = status === 'PENDING' || (status === 'APPROVED' && !withdrawn);
  const act = isWaiting ? 'Edit' : 'Edit and send again';
  return (
    <li>
      <span>
        {publishedRevision === undefined ? recordId : <a href={`${base}/record/${recordId}`}>{recordId}</a>}{' '}
        {materialsText(record)}
      </span>
      <StatusBadge status={withdrawn ? 'WITHDRAWN' : status} />
      <span>
        {withdrawn && (
          <>
            On {dateText(withdrawn.at)}: “{withdrawn.reason}”{' '}
          </>
        )}
        {!withdrawn && status === 'REJECTED' && rejectionReason !== undefined && <>“{rejectionReason}” </>}
        {missingFields.length > 0 && <>Missing: {missingFields.join(', ')}. </>}
        {publishedRevision !== undefined && publishedRevision !== revision && (
          <span class="muted">
            Revision {publishedRevision} is public; this is revision {revision}.{' '}
          </span>
        )}
        <a href={edit} aria-label={`${act}: record ${recordId}`}>
          {act}
        </a>
        {' · '}
        <button
          type="button"
          class="link"
          aria-expanded={showsHistory.value}
          aria-label={`History of record ${recordId}`}
          onClick={() => (showsHistory.value = !showsHistory.value)}
        >
          History
        </button>
        {' · '}
        <button
          type="button"
          class="link"
          aria-expanded={isWriting.value}
          aria-label={`Messages of record ${recordId}`}
          onClick={() => (isWriting.value = !isWriting.value)}
        >
          Messages
        </button>
      </span>
      {showsHistory.value && <History base={base} recordId={recordId} />}
      {isWriting.value && <Messages base={base} recordId={recordId} />}
    </li>
  );
}

/** Returns a text such as "PVDF in DMF–acetone". */
function materialsText(record: OwnRecord): string {
  const { polymers, solvents } = materialsOf(record);
  if (solvents === '') return polymers;
  return `${polymers === '' ? 'polymer not reported' : polymers} in ${solvents}`;
}
