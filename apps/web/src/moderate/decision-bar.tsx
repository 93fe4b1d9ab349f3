import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { moveFocus } from '../client/move-focus.ts';
import { NO_FILTERS } from './address.ts';
import type { Act } from './decisions.ts';
import type { Keys } from './keys.tsx';
import { type ManyAct, ManyDialog } from './many-dialog.tsx';
import type { Moderation } from './moderation.ts';
import { ReasonFields } from './reason-fields.tsx';
import type { Review } from './shapes.ts';

interface Props {
  desk: Moderation;
  keys: Keys;
}

export function DecisionBar({ desk, keys: { areOn, isHelpOpen, isRejecting } }: Props) {
  const { shown, chosen, isBusy, view, queue } = desk;
  const many = useSignal<ManyAct | undefined>(undefined);
  const count = chosen.value.size;
  // With another filter, the list would show fewer records than this rejects.
  const { status, origin, polymer, submitter, submissionId } = view.value;
  const isFlood = status === 'PENDING' && origin !== '' && polymer + submitter + submissionId === '';
  const current = shown.value;
  // Must run before the next key press, which may open the form for the new record.
  useLayoutEffect(() => {
    isRejecting.value = false;
  }, [current?.review.recordId, isRejecting]);
  return (
    <div class="decide" role="group" aria-label="Decision">
      {isRejecting.value && current && count === 0 && (
        <ReasonForm desk={desk} review={current.review} isOpen={isRejecting} />
      )}
      <div class="row">
        {count > 0 ? (
          <>
            <button
              type="button"
              class="button primary"
              data-key="a"
              disabled={isBusy.value}
              onClick={() => (many.value = 'approve')}
            >
              Approve {count} selected…
            </button>
            <button
              type="button"
              class="button danger"
              data-key="r"
              disabled={isBusy.value}
              onClick={() => (many.value = 'reject')}
            >
              Reject {count} selected…
            </button>
            <button type="button" class="link" onClick={desk.chooseNone}>
              Clear the selection
            </button>
          </>
        ) : (
          current && <ActsOnOne desk={desk} review={current.review} isRejecting={isRejecting} />
        )}
        {isFlood && queue.value.total > 0 && (
          <button type="button" class="button danger" disabled={isBusy.value} onClick={() => (many.value = 'flood')}>
            Reject all from this network…
          </button>
        )}
        <span class="small muted hints">
          {areOn.value && (
            <>
              Next <kbd>j</kbd> previous <kbd>k</kbd>{' '}
            </>
          )}
          <button type="button" class="link" onClick={() => (isHelpOpen.value = true)}>
            Shortcuts <kbd>?</kbd>
          </button>
        </span>
      </div>
      {many.value && <ManyDialog desk={desk} act={many.value} close={() => (many.value = undefined)} />}
    </div>
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
    <button type="button" class="button" disabled={isOff} onClick={() => void desk.decide(kind)}>
      {label}
    </button>
  );
  if (status === 'APPROVED') {
    return (
      <button
        type="button"
        class="button danger"
        data-key="r"
        disabled={isOff}
        aria-expanded={isRejecting.value}
        onClick={write}
      >
        Withdraw…
      </button>
    );
  }
  if (status === 'REJECTED') return withdrawn ? act('Restore', 'restore') : act('Reopen', 'reopen');
  if (status !== 'PENDING') return <span class="muted">The contributor must complete this record first.</span>;
  return (
    <>
      <button
        type="button"
        class="button primary"
        data-key="a"
        aria-keyshortcuts="a"
        disabled={isOff}
        onClick={() => void desk.decide('approve')}
      >
        Approve <kbd aria-hidden="true">a</kbd>
      </button>
      <button
        type="button"
        class="button danger"
        data-key="r"
        aria-keyshortcuts="r"
        aria-expanded={isRejecting.value}
        disabled={isOff}
        onClick={write}
      >
        Reject… <kbd aria-hidden="true">r</kbd>
      </button>
      {ownerAccountId === undefined && origin !== undefined && desk.view.value.origin === '' && (
        <button type="button" class="link small" onClick={() => desk.go({ ...NO_FILTERS, origin })}>
          Show all from this network
        </button>
      )}
    </>
  );
}

function ReasonForm({
  desk,
  review: { recordId, status },
  isOpen,
}: {
  desk: Moderation;
  review: Review;
  isOpen: Signal<boolean>;
}) {
  const isWithdrawal = status === 'APPROVED';
  const reason = desk.reasons.value.get(recordId) ?? '';
  const box = useRef<HTMLTextAreaElement>(null);
  // Must run before the next key press, which belongs to the field.
  useLayoutEffect(() => moveFocus(box.current), [recordId]);
  const close = (): void => {
    isOpen.value = false;
    moveFocus(document.querySelector('[data-key="r"]'));
  };
  return (
    <form
      class="reason"
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void desk.decide(isWithdrawal ? 'withdraw' : 'reject', reason.trim());
      }}
    >
      <ReasonFields
        id="reason"
        box={box}
        value={reason}
        hint={isWithdrawal ? 'The record page shows it publicly.' : 'It is sent to the contributor, without your name.'}
        isPublic={isWithdrawal}
        onChange={(text) => desk.setReason(recordId, text)}
      />
      <p class="row">
        <button class="button danger" disabled={reason.trim() === '' || !desk.canDecide.value}>
          {isWithdrawal ? 'Withdraw' : 'Reject'} record {recordId}
        </button>
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        {reason.trim() === '' && <span class="small muted">A reason is required.</span>}
      </p>
    </form>
  );
}
