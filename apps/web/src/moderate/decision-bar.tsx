import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { moveFocus } from '../client/move-focus.ts';
import { countText } from '../format.ts';
import { Button, LinkButton } from '../parts/buttons.tsx';
import { onSubmit } from '../client/events.ts';
import { NO_FILTERS } from './address.ts';
import { ApprovalDialog } from './approval-dialog.tsx';
import type { Act } from './decisions.ts';
import { FloodDialog } from './flood-dialog.tsx';
import type { Keys } from './keys.tsx';
import type { Moderation } from './moderation.ts';
import { ReasonFields } from './reason-fields.tsx';
import type { Review } from './shapes.ts';

interface Props {
  desk: Moderation;
  keys: Keys;
}

export function DecisionBar({ desk, keys: { areOn, isHelpOpen, isRejecting, pause } }: Props) {
  const { shown, isBusy, view, records, submission, done, approval } = desk;
  const isFlooding = useSignal(false);
  // With another filter, the list would show fewer records than this rejects.
  const { status, origin, polymer, submitter, kind, recordId, submissionId } = view.value;
  const isFlood = status === 'PENDING' && origin !== '' && polymer + submitter === '' && kind === 'all';
  const current = recordId === undefined ? undefined : shown.value;
  const isTable = recordId === undefined && submissionId !== undefined;
  // Must run before the next key press, which may open the form for the new record.
  useLayoutEffect(() => {
    isRejecting.value = false;
    approval.value = undefined;
  }, [current?.review.recordId, isTable, submissionId, isRejecting, approval]);
  const shownId = isTable ? submission.table.value?.submissionId : current?.review.recordId;
  useLayoutEffect(() => {
    if (!done.value) return;
    isRejecting.value = false;
    pause();
  }, [done.value, shownId, done, isRejecting, pause]);
  if (isRejecting.value && (current || isTable)) {
    return (
      <div class="decide" role="group" aria-label="Decision">
        {current ? (
          <RejectOne desk={desk} review={current.review} isOpen={isRejecting} />
        ) : (
          <RejectRows desk={desk} isOpen={isRejecting} />
        )}
      </div>
    );
  }
  return (
    <div class="decide" role="group" aria-label="Decision">
      <div class="row">
        {current && <ActsOnOne desk={desk} review={current.review} isRejecting={isRejecting} />}
        {isTable && submission.table.value && <ActsOnRows desk={desk} isRejecting={isRejecting} />}
        {isFlood && records.queue.value.total > 0 && (
          <Button class="danger" disabled={isBusy.value} onClick={() => (isFlooding.value = true)}>
            Reject all from this network…
          </Button>
        )}
        <span class="small muted hints">
          {areOn.value && (
            <>
              Next <kbd>j</kbd> previous <kbd>k</kbd>{' '}
            </>
          )}
          <LinkButton onClick={() => (isHelpOpen.value = true)}>
            Shortcuts <kbd>?</kbd>
          </LinkButton>
        </span>
      </div>
      <ApprovalDialog desk={desk} />
      {isFlooding.value && <FloodDialog desk={desk} close={() => (isFlooding.value = false)} />}
    </div>
  );
}

function ActsOnRows({ desk, isRejecting }: { desk: Moderation; isRejecting: Signal<boolean> }) {
  const { isBusy, submission } = desk;
  const { targets, pending, selected, marks, current } = submission;
  const count = targets.value.length;
  const hasSelection = selected.value.size > 0;
  const row = hasSelection ? undefined : pending.value.find(({ recordId }) => recordId === current.value);
  if (pending.value.length === 0) return <span class="muted">No record of this submission awaits review.</span>;
  if (count === 0 && hasSelection) return <span class="muted">Every selected record has changed.</span>;
  const which = marks.value.size > 0 ? `the remaining ${count}` : hasSelection ? String(count) : `all ${count}`;
  return (
    <>
      {count > 0 && (
        <>
          <Button
            class="primary"
            data-key={hasSelection ? 'A a' : 'A'}
            aria-keyshortcuts={hasSelection ? 'Shift+A a' : 'Shift+A'}
            disabled={isBusy.value}
            onClick={() => void desk.decideRows('approve', targets.value)}
          >
            Approve {which} <kbd aria-hidden="true">{hasSelection ? 'a' : '⇧A'}</kbd>
          </Button>
          <Button
            class="danger"
            data-key="r"
            aria-keyshortcuts="r"
            aria-expanded={false}
            disabled={isBusy.value}
            onClick={() => (isRejecting.value = true)}
          >
            Reject {which}… <kbd aria-hidden="true">r</kbd>
          </Button>
        </>
      )}
      {row && (
        <LinkButton
          class="small"
          data-key="a"
          aria-keyshortcuts="a"
          disabled={isBusy.value}
          onClick={() => void desk.decideRows('approve', [row])}
        >
          Approve only {row.recordId} <kbd aria-hidden="true">a</kbd>
        </LinkButton>
      )}
    </>
  );
}

interface OneProps {
  desk: Moderation;
  review: Review;
  isRejecting: Signal<boolean>;
}

function ActsOnOne({ desk, review: { status, withdrawn, ownerAccountId, origin }, isRejecting }: OneProps) {
  const isOff = !desk.canDecide.value;
  const write = (): void => {
    isRejecting.value = true;
    // The form may be open already.
    moveFocus('reason');
  };
  const act = (label: string, kind: Act) => (
    <Button disabled={isOff} onClick={() => void desk.decide(kind)}>
      {label}
    </Button>
  );
  if (status === 'APPROVED') {
    return (
      <Button class="danger" data-key="r" disabled={isOff} aria-expanded={false} onClick={write}>
        Withdraw…
      </Button>
    );
  }
  if (status === 'REJECTED') return withdrawn ? act('Restore', 'restore') : act('Reopen', 'reopen');
  if (status !== 'PENDING') return <span class="muted">The contributor must complete this record first.</span>;
  return (
    <>
      <Button
        class="primary"
        data-key="a"
        aria-keyshortcuts="a"
        disabled={isOff}
        onClick={() => void desk.decide('approve')}
      >
        Approve <kbd aria-hidden="true">a</kbd>
      </Button>
      <Button class="danger" data-key="r" aria-keyshortcuts="r" aria-expanded={false} disabled={isOff} onClick={write}>
        Reject… <kbd aria-hidden="true">r</kbd>
      </Button>
      {ownerAccountId === undefined && origin !== undefined && desk.view.value.origin === '' && (
        <LinkButton class="small" onClick={() => desk.go({ ...NO_FILTERS, origin, submissionId: undefined })}>
          Show all from this network
        </LinkButton>
      )}
    </>
  );
}

interface RejectProps {
  desk: Moderation;
  isOpen: Signal<boolean>;
}

function RejectOne({ desk, review: { recordId, status }, isOpen }: RejectProps & { review: Review }) {
  const isWithdrawal = status === 'APPROVED';
  return (
    <ReasonForm
      desk={desk}
      recordId={recordId}
      isOpen={isOpen}
      isPublic={isWithdrawal}
      label={`${isWithdrawal ? 'Withdraw' : 'Reject'} record ${recordId}`}
      hint={isWithdrawal ? 'The record page shows it publicly.' : 'It is sent to the contributor, without your name.'}
      canSend={desk.canDecide.value}
      send={(reason) => void desk.decide(isWithdrawal ? 'withdraw' : 'reject', reason)}
    />
  );
}

function RejectRows({ desk, isOpen }: RejectProps) {
  const rows = desk.submission.targets.value;
  return (
    <ReasonForm
      desk={desk}
      recordId={0}
      isOpen={isOpen}
      isPublic={false}
      label={`Reject ${countText(rows.length, 'record')}`}
      hint="The same reason applies to every record. It is sent to the contributor, without your name."
      canSend={!desk.isBusy.value && rows.length > 0}
      send={(reason) => {
        void desk.decideRows('reject', rows, reason);
      }}
    />
  );
}

interface ReasonProps extends RejectProps {
  /** The record whose draft reason the form shows; 0 for many records. */
  recordId: number;
  label: string;
  hint: string;
  isPublic: boolean;
  canSend: boolean;
  send: (reason: string) => void;
}

function ReasonForm({ desk, recordId, isOpen, label, hint, isPublic, canSend, send }: ReasonProps) {
  const reason = desk.reasons.value.get(recordId) ?? '';
  const box = useRef<HTMLTextAreaElement>(null);
  // Must run before the next key press, which belongs to the field.
  useLayoutEffect(() => moveFocus(box.current), [recordId]);
  const close = (): void => {
    isOpen.value = false;
    // The button that opened the form exists again after rendering.
    requestAnimationFrame(() => moveFocus(document.querySelector('[data-key="r"]')));
  };
  return (
    <form
      class="reason"
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
      onSubmit={onSubmit(() => send(reason.trim()))}
    >
      <ReasonFields
        id="reason"
        box={box}
        value={reason}
        hint={hint}
        isPublic={isPublic}
        onChange={(text) => desk.setReason(recordId, text)}
      />
      <p class="row">
        <button class="button danger" disabled={reason.trim() === '' || !canSend}>
          {label}
        </button>
        <Button onClick={close}>Cancel</Button>
        {reason.trim() === '' && <span class="small muted">A reason is required.</span>}
      </p>
    </form>
  );
}
