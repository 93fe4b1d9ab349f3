import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { countText } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import type { Keys } from './keys.tsx';
import { type Act, MAX_AT_ONCE, type Moderation } from './moderation.ts';
import type { Review } from './shapes.ts';

const MAX_REASON = 2_000;
/** The reason of a withdrawal is public. */
const MAX_PUBLIC_REASON = 500;

const TEMPLATES: readonly (readonly [name: string, text: string])[] = [
  [
    'The paper says otherwise',
    'The paper gives another value for … Compare it, correct it, and send the record again.',
  ],
  ['Duplicate of a record', 'The dataset has this experiment already, as record …'],
  ['Unit missing or wrong', 'The unit of … is missing or cannot be right. Add it and send the record again.'],
  ['DOI leads to another paper', 'The DOI leads to another paper. Correct it and send the record again.'],
  ['Source missing', 'No source is named, so the values cannot be checked. Add a DOI or a title.'],
  ['No experiment', 'This is not an electrospinning experiment.'],
];

type ManyAct = 'approve' | 'reject' | 'flood';

interface Props {
  desk: Moderation;
  keys: Keys;
}

/** The decision on the record that is shown, or on those that are chosen. */
export function DecisionBar({ desk, keys: { areOn, isHelpOpen, isDeclining } }: Props) {
  const { shown, chosen, isBusy, place, queue } = desk;
  const many = useSignal<ManyAct | undefined>(undefined);
  const count = chosen.value.size;
  const { origin } = place.value;
  const current = shown.value;
  useEffect(() => {
    isDeclining.value = false;
  }, [current?.review.recordId]);
  const isOff = isBusy.value || current?.isOld === true;
  return (
    <div class="decide" role="group" aria-label="Decision">
      {isDeclining.value && current && count === 0 && (
        <ReasonForm desk={desk} review={current.review} isOpen={isDeclining} />
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
              Decline {count} selected…
            </button>
            <button type="button" class="link" onClick={desk.chooseNone}>
              Select none
            </button>
          </>
        ) : (
          current && <ActsOnOne desk={desk} review={current.review} isOff={isOff} isDeclining={isDeclining} />
        )}
        {origin !== '' && queue.value.total > 0 && (
          <button type="button" class="button danger" disabled={isBusy.value} onClick={() => (many.value = 'flood')}>
            Decline all from this network…
          </button>
        )}
        <span class="small muted hints">
          {areOn.value && (
            <>
              Next <kbd>j</kbd> previous <kbd>k</kbd>{' '}
            </>
          )}
          <button type="button" class="link" onClick={() => (isHelpOpen.value = true)}>
            Keys <kbd>?</kbd>
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
  isOff: boolean;
  isDeclining: Signal<boolean>;
}

/** What can be done with one record depends on its status; nothing is undone, it is decided again. */
function ActsOnOne({ desk, review: { status, withdrawn, ownerAccountId, origin }, isOff, isDeclining }: OneProps) {
  const write = (): void => {
    isDeclining.value = true;
    // Again, if it is open already.
    document.getElementById('reason')?.focus();
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
        aria-expanded={isDeclining.value}
        onClick={write}
      >
        Withdraw…
      </button>
    );
  }
  if (status === 'REJECTED') return withdrawn ? act('Queue it again', 'restore') : act('Reopen', 'reopen');
  if (status !== 'PENDING') return <span class="muted">Its owner has to complete it first.</span>;
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
        aria-expanded={isDeclining.value}
        disabled={isOff}
        onClick={write}
      >
        Decline… <kbd aria-hidden="true">r</kbd>
      </button>
      {ownerAccountId === undefined && origin !== undefined && desk.place.value.origin === '' && (
        <button type="button" class="link small" onClick={() => desk.go({ origin })}>
          All from this network
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
  useEffect(() => box.current?.focus(), [recordId]);
  const close = (): void => {
    isOpen.value = false;
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
        hint={
          isWithdrawal
            ? 'Everyone can read it on the page of the record.'
            : 'It is sent to the contributor, without your name.'
        }
        maxLength={isWithdrawal ? MAX_PUBLIC_REASON : MAX_REASON}
        onChange={(text) => desk.setReason(recordId, text)}
      />
      <p class="row">
        <button class="button danger" disabled={reason.trim() === '' || desk.isBusy.value}>
          {isWithdrawal ? 'Withdraw' : 'Decline'} record {recordId}
        </button>
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        {reason.trim() === '' && <span class="small muted">A reason is required.</span>}
      </p>
    </form>
  );
}

interface ReasonProps {
  id: string;
  value: string;
  hint: string;
  maxLength: number;
  onChange: (text: string) => void;
  box?: RefObject<HTMLTextAreaElement | null>;
}

function ReasonFields({ id, value, hint, maxLength, onChange, box }: ReasonProps) {
  return (
    <div class="field">
      <label for={id}>Reason</label>
      <span class="hint" id={`${id}-hint`}>
        {hint}
      </span>
      <select
        aria-label="Reason template"
        value=""
        onChange={({ currentTarget }) => {
          const text = TEMPLATES.find(([name]) => name === currentTarget.value)?.[1];
          if (text !== undefined) onChange(text);
          currentTarget.value = '';
          document.getElementById(id)?.focus();
        }}
      >
        <option value="">Choose a template</option>
        {TEMPLATES.map(([name]) => (
          <option>{name}</option>
        ))}
      </select>
      <textarea
        id={id}
        {...(box ? { ref: box } : {})}
        aria-describedby={`${id}-hint`}
        rows={3}
        required
        maxLength={maxLength}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  );
}

function ManyDialog({ desk, act, close }: { desk: Moderation; act: ManyAct; close: () => void }) {
  const { chosen, place, reasons, queue } = desk;
  const reason = reasons.value.get(0) ?? '';
  const isFlood = act === 'flood';
  const count = isFlood ? Math.min(MAX_AT_ONCE, queue.value.total) : chosen.value.size;
  const needsReason = act !== 'approve';
  const verb = needsReason ? 'Decline' : 'Approve';
  const title = isFlood
    ? `Decline the ${countText(count, 'waiting record')} from this network?`
    : `${verb} ${countText(count, 'record')}?`;
  return (
    <Dialog title={title} onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          close();
          void desk.decideMany(
            needsReason ? 'reject' : 'approve',
            isFlood ? { origin: place.value.origin } : 'chosen',
            needsReason ? reason.trim() : undefined,
          );
        }}
      >
        <p>
          {act === 'approve'
            ? 'They become public at once. Each can be withdrawn later, one at a time.'
            : isFlood
              ? 'Every record without an account that was sent from this network and waits is declined, also those that come in until then.'
              : 'All are declined for the same reason. Each can be reopened later.'}
        </p>
        {needsReason && (
          <ReasonFields
            id="reason-of-many"
            value={reason}
            hint="It is sent to contributors who have an account."
            maxLength={MAX_REASON}
            onChange={(text) => desk.setReason(0, text)}
          />
        )}
        <p class="row">
          <button class={`button ${needsReason ? 'danger' : 'primary'}`} disabled={needsReason && reason.trim() === ''}>
            {verb} {countText(count, 'record')}
          </button>
          <button type="button" class="button" data-first onClick={close}>
            Keep them waiting
          </button>
        </p>
      </form>
    </Dialog>
  );
}
