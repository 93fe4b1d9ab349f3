import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { loaded } from '../client/load-script.ts';
import { moveFocus } from '../client/move-focus.ts';
import { dateText, numberText } from '../format.ts';
import { materialsOf } from '../materials.ts';
import { PaperLink, paperOf } from '../parts/paper-link.tsx';
import { Failure } from '../staff/failure.tsx';
import { useStaff } from '../staff/service.ts';
import { LinkButton } from '../parts/buttons.tsx';
import { statusText } from '../parts/status-badge.tsx';
import { type QueueView, searchOf } from './address.ts';
import { agoText } from './ago.ts';
import { ConflictNote } from './conflict-note.tsx';
import type { Moderation } from './moderation.ts';
import type { RecordDetails } from './record-details.tsx';
import type { Review } from './shapes.ts';

let Details: typeof RecordDetails | undefined;

/** Loads the script that shows the data of a record. Throws RequestError. */
export async function loadDetails(): Promise<void> {
  Details ??= (await loaded(import('./record-details.tsx'))).RecordDetails;
}

export function ReviewPane({ desk }: { desk: Moderation }) {
  const { base } = useStaff();
  const { shown, failure, view, submission } = desk;
  const count = submission.table.value?.rows.length ?? 0;
  const current = shown.value;
  const isCurrent = current?.review.recordId === view.value.recordId;
  const heading = useRef<HTMLHeadingElement>(null);
  const recordId = current?.review.recordId;
  // Must run before the next key press. Later, it would take the focus from the field that the key opened.
  useLayoutEffect(() => {
    // After a key or a decision, screen readers announce the new record.
    if (recordId !== undefined && desk.hasMoved()) moveFocus(heading.current);
  }, [desk, recordId]);
  return (
    <article class="padded" aria-busy={!isCurrent}>
      <p class={`small${count > 1 ? '' : ' back'}`}>
        <a
          href={`${base}/moderate${searchOf({ ...view.value, recordId: undefined })}`}
          onClick={(event) => {
            event.preventDefault();
            desk.back();
          }}
        >
          {count > 1 ? `Back to all ${numberText(count)} records` : 'Back to the queue'}
        </a>
      </p>
      <ConflictNote desk={desk} />
      <Failure error={failure.value} again={current ? undefined : () => void desk.open()} />
      {current ? (
        <>
          <p class="small muted">
            <a
              href={`${base}/moderate${searchOf({ ...view.value, ...together(current.review) })}`}
              title="All records of this submission"
              onClick={(event) => {
                event.preventDefault();
                desk.go(together(current.review));
              }}
            >
              Submission {current.review.submissionId}
            </a>{' '}
            · {about(current.review)}
          </p>
          <h1 ref={heading} tabIndex={-1}>
            {titleOf(current.review)}
          </h1>
          <p class="small">
            {whatOf(current.review.record)}
            <Source record={current.review.record} />
          </p>
          {current.isOld && (
            <p class="note warn" role="alert">
              This record changed while you were reading it.{' '}
              <LinkButton onClick={() => void desk.open()}>Show the new revision</LinkButton>
            </p>
          )}
          {/* oxlint-disable-next-line react/static-components -- loaded once, then the same component at each render */}
          {Details && <Details review={current.review} />}
        </>
      ) : (
        failure.value === undefined && <p class="muted">Loading…</p>
      )}
    </article>
  );
}

function together({ submissionId }: Review): Pick<QueueView, 'submissionId' | 'recordId'> {
  return { submissionId, recordId: undefined };
}

function about({ ownerAccountId, submitter, waitedSeconds, status }: Review): string {
  const name = submitter?.['name'];
  const kind = ownerAccountId === undefined ? 'without an account' : 'with an account';
  const who = typeof name === 'string' ? `by ${name}, ${kind}` : `by a contributor ${kind}`;
  const since = status === 'PENDING' ? `waiting ${agoText(waitedSeconds)}` : `${agoText(waitedSeconds)} ago`;
  return `${who} · ${since}`;
}

function titleOf({ recordId, status, publishedRevision, withdrawn }: Review): string {
  if (withdrawn) return `Record ${recordId}, withdrawn on ${dateText(withdrawn.at)}`;
  if (status !== 'PENDING') return `Record ${recordId}, ${statusText(status).toLowerCase()}`;
  return publishedRevision === undefined ? `New record ${recordId}` : `Correction to record ${recordId}`;
}

function whatOf(record: ExperimentData): string {
  const { polymers, solvents } = materialsOf(record);
  return `${polymers === '' ? 'No polymer' : polymers}${solvents === '' ? '' : ` in ${solvents}`}`;
}

function Source({ record }: { record: ExperimentData }) {
  const { doi, publicationTitle } = record.researchMetadata ?? {};
  if (doi === undefined)
    return <>, {publicationTitle === undefined ? 'no paper listed.' : `from “${publicationTitle}”.`}</>;
  return (
    <>
      , from <PaperLink doi={paperOf(doi)} />.
    </>
  );
}
