import { useSignal } from '@preact/signals';
import type { ResponseAt } from '@esd/api/operations';
import type { RecordStatus } from '@esd/record/status/record-status';
import { useEffect } from 'preact/hooks';
import { useResponse } from '../client/loaded.ts';
import { UNREAD_CHANGED } from '../client/stored-unread.ts';
import { countText, dateText, numberText } from '../format.ts';
import { ScrollTable } from '../parts/scroll-table.tsx';
import { StatusBadge, statusText } from '../parts/status-badge.tsx';
import { LinkButton } from '../parts/buttons.tsx';
import { Pending } from '../parts/pending.tsx';
import { requestSignedIn } from '../client/session.ts';
import { OwnRecordLine } from './own-record-line.tsx';
import { Section } from './section.tsx';

type Submission = ResponseAt<'get', '/data/my-submissions'>[number];

const STATUSES: readonly RecordStatus[] = ['NEEDS_UPDATE', 'REJECTED', 'PENDING', 'APPROVED'];
const STEP = 20;

export function Submissions({ base }: { base: string }) {
  const submissions = useResponse(requestSignedIn, '/data/my-submissions');
  useEffect(() => {
    const reload = (): void => void submissions.reload();
    document.addEventListener(UNREAD_CHANGED, reload);
    return () => document.removeEventListener(UNREAD_CHANGED, reload);
    // oxlint-disable-next-line react/exhaustive-deps -- `reload` changes at each render, but always loads the same list
  }, []);
  const filter = useSignal<RecordStatus | undefined>(undefined);
  const shown = useSignal(STEP);
  const all = (submissions.value.value ?? []).toReversed();
  const total = (status: RecordStatus): number => all.reduce((sum, { counts }) => sum + (counts[status] ?? 0), 0);
  const sampleText = useSignal('');
  const hasSamples = all.some(({ records }) => records.some(({ sampleId }) => sampleId !== null));
  const { value: chosen } = filter;
  const matching = all.filter(
    ({ counts, records }) =>
      (chosen === undefined || (counts[chosen] ?? 0) > 0) &&
      (sampleText.value.trim() === '' || records.some((record) => hasSample(record, sampleText.value))),
  );
  return (
    <Section
      id="submissions"
      title="Submissions"
      actions={
        <p class="row">
          {hasSamples && (
            <label class="small muted">
              Sample ID{' '}
              <input
                type="search"
                size={12}
                value={sampleText.value}
                onInput={({ currentTarget }) => {
                  sampleText.value = currentTarget.value;
                  shown.value = STEP;
                }}
              />
            </label>
          )}
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
                    all.reduce((sum, submission) => sum + submission.recordCount, 0),
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
        <ScrollTable labelledBy="submissions-title" heads={['No.', 'Sent', { number: 'Records' }, 'Status']}>
          {matching.slice(0, shown.value).map((submission) => (
            <Row key={submission.submissionId} base={base} submission={submission} sampleText={sampleText.value} />
          ))}
        </ScrollTable>
      )}
      {matching.length > shown.value && (
        <LinkButton onClick={() => (shown.value += STEP)}>
          Show {Math.min(STEP, matching.length - shown.value)} more
        </LinkButton>
      )}
    </Section>
  );
}

/** Returns whether the sample ID of a record contains a text, regardless of case. An empty text matches every record. */
function hasSample({ sampleId }: Submission['records'][number], text: string): boolean {
  return (sampleId ?? '').toLowerCase().includes(text.trim().toLowerCase());
}

function Row({ base, submission, sampleText }: { base: string; submission: Submission; sampleText: string }) {
  const { submissionId, submittedAt, recordCount, counts, unread, needsAnswer } = submission;
  const records = submission.records.filter((record) => hasSample(record, sampleText));
  const isOpen = useSignal(false);
  return (
    <>
      <tr>
        <th scope="row" class="id">
          <LinkButton
            aria-expanded={isOpen.value}
            aria-label={`Submission ${submissionId}`}
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            {submissionId}
          </LinkButton>
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
          {unread > 0 && (
            <div class="small">
              {countText(unread, 'unread message')}
              {needsAnswer && ', needs your answer'}
            </div>
          )}
        </td>
      </tr>
      {isOpen.value && (
        <tr>
          <td colSpan={4}>
            <Records base={base} submissionId={submissionId} states={records} />
          </td>
        </tr>
      )}
    </>
  );
}

interface RecordsProps {
  base: string;
  submissionId: number;
  states: Submission['records'];
}

function Records({ base, submissionId, states }: RecordsProps) {
  const loaded = useResponse(requestSignedIn, '/data/submission/{submissionId}', { submissionId });
  const isWhole = useSignal(false);
  const stateOf = new Map(states.map((state) => [state.recordId, state]));
  const records = (loaded.value.value?.experimentData ?? []).filter(({ recordId }) => stateOf.has(recordId));
  return (
    <>
      <Pending of={loaded} />
      <ul class="records">
        {records.slice(0, isWhole.value ? undefined : STEP).map((record) => (
          <OwnRecordLine
            key={record.recordId}
            base={base}
            record={record}
            unread={stateOf.get(record.recordId)?.unread ?? 0}
            needsAnswer={stateOf.get(record.recordId)?.needsAnswer ?? false}
          />
        ))}
      </ul>
      {records.length > STEP && !isWhole.value && (
        <LinkButton onClick={() => (isWhole.value = true)}>Show all {numberText(records.length)} records</LinkButton>
      )}
    </>
  );
}
