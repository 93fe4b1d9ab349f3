import type { ResponseAt } from '@esd/api/operations';
import { useSignal } from '@preact/signals';
import { fieldNameOfPath } from '@esd/record/catalog/field-names';
import { requestSignedIn } from '../client/session.ts';
import { loadUnread } from '../client/unread.ts';
import { countText, dateText } from '../format.ts';
import { materialsOf } from '../materials.ts';
import { StatusBadge } from '../parts/status-badge.tsx';
import { Thread } from '../parts/thread.tsx';
import { LinkButton } from '../parts/buttons.tsx';
import { useResponse } from '../client/loaded.ts';
import { FieldChanges } from '../parts/field-changes.tsx';
import { actionText } from '../parts/record-actions.ts';
import { Pending } from '../parts/pending.tsx';

type OwnRecord = ResponseAt<'get', '/data/submission/{submissionId}'>['experimentData'][number];

interface Props {
  base: string;
  record: OwnRecord;
  /** Number of messages that the owner has not read. */
  unread: number;
  needsAnswer: boolean;
  /** Whether the thread is open from the start. */
  isOpen?: boolean;
}

export function OwnRecordLine({ base, record, unread, needsAnswer, isOpen = false }: Props) {
  const { recordId, status, rejectionReason, missingFields, revision, publishedRevision, withdrawn } = record;
  const isWriting = useSignal(isOpen);
  const showsHistory = useSignal(false);
  const isRead = useSignal(false);
  const edit = `${base}/contribute?record=${recordId}`;
  const isWaiting = status === 'PENDING' || (status === 'APPROVED' && !withdrawn);
  const act = isWaiting ? 'Edit' : 'Edit and send again';
  return (
    <li>
      <span>
        {publishedRevision === undefined ? recordId : <a href={`${base}/record/${recordId}`}>{recordId}</a>}{' '}
        {materialsText(record)}
        {record.researchMetadata?.sampleId !== undefined && (
          <span class="muted"> · sample {record.researchMetadata.sampleId}</span>
        )}
      </span>
      <StatusBadge status={withdrawn ? 'WITHDRAWN' : status} />
      <span>
        {withdrawn && (
          <>
            On {dateText(withdrawn.at)}: “{withdrawn.reason}”{' '}
          </>
        )}
        {!withdrawn && status === 'REJECTED' && rejectionReason !== undefined && <>“{rejectionReason}” </>}
        {missingFields.length > 0 && <>Missing: {missingFields.map(fieldNameOfPath).join(', ')}. </>}
        {publishedRevision !== undefined && publishedRevision !== revision && (
          <span class="muted">
            Revision {publishedRevision} is public; this is revision {revision}.{' '}
          </span>
        )}
        <a href={edit} aria-label={`${act}: record ${recordId}`}>
          {act}
        </a>
        {' · '}
        <LinkButton
          aria-expanded={showsHistory.value}
          aria-label={`History of record ${recordId}`}
          onClick={() => (showsHistory.value = !showsHistory.value)}
        >
          History
        </LinkButton>
        {' · '}
        <LinkButton aria-expanded={isWriting.value} onClick={() => (isWriting.value = !isWriting.value)}>
          Messages<span class="hidden-text"> of record {recordId}</span>
          {unread > 0 && !isRead.value && ` (${unread} unread)`}
        </LinkButton>
      </span>
      {showsHistory.value && <History recordId={recordId} />}
      {isWriting.value && (
        <div class="record-part">
          <Thread
            request={requestSignedIn}
            recordId={recordId}
            reader="owner"
            unread={unread}
            label={`${needsAnswer ? 'Your answer' : 'Message to the moderators'} about record ${recordId}`}
            onRead={() => {
              isRead.value = true;
              void loadUnread(base).catch(() => undefined);
            }}
          />
        </div>
      )}
    </li>
  );
}

/** Returns a text such as "PVDF in DMF–acetone". */
function materialsText(record: OwnRecord): string {
  const { polymers, solvents } = materialsOf(record);
  if (solvents === '') return polymers;
  return `${polymers === '' ? 'polymer not reported' : polymers} in ${solvents}`;
}

const BY = { owner: 'you', moderator: 'a moderator', service: 'the service' } as const;

function History({ recordId }: { recordId: number }) {
  const history = useResponse(requestSignedIn, '/data/my-records/{recordId}/history', { recordId });
  return (
    <div class="record-part">
      <Pending of={history} />
      <ol class="history">
        {history.value.value?.map(({ at, action, revision, by, reason, changes }, index) => (
          <li key={index}>
            <time dateTime={at} title={at} class="muted">
              {dateText(at)}
            </time>{' '}
            {actionText(action)} by {BY[by]} <span class="muted">(revision {revision})</span>
            {reason !== undefined && <p class="written">“{reason}”</p>}
            {changes && (
              <details>
                <summary id={`changes-${recordId}-${index}`}>{countText(changes.length, 'field')} changed</summary>
                <FieldChanges labelledBy={`changes-${recordId}-${index}`} changes={changes} />
              </details>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
