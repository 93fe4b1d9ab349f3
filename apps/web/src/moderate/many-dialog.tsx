import { countText } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import type { Moderation } from './moderation.ts';
import { MAX_AT_ONCE } from './queue.ts';
import { ReasonFields } from './reason-fields.tsx';

/** A decision on many records; `flood` rejects all anonymous records from one network. */
export type ManyAct = 'approve' | 'reject' | 'flood';

export function ManyDialog({ desk, act, close }: { desk: Moderation; act: ManyAct; close: () => void }) {
  const { chosen, view, reasons, queue } = desk;
  const reason = reasons.value.get(0) ?? '';
  const isFlood = act === 'flood';
  const { total } = queue.value;
  const count = isFlood ? Math.min(MAX_AT_ONCE, total) : chosen.value.size;
  const needsReason = act !== 'approve';
  const verb = needsReason ? 'Reject' : 'Approve';
  const title = isFlood
    ? `Reject the ${count < total ? 'first ' : ''}${countText(count, 'waiting record')} from this network?`
    : `${verb} ${countText(count, 'record')}?`;
  return (
    <Dialog title={title} onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          close();
          void desk.decideMany(
            needsReason ? 'reject' : 'approve',
            isFlood ? { origin: view.value.origin } : 'chosen',
            needsReason ? reason.trim() : undefined,
          );
        }}
      >
        <p>
          {act === 'approve'
            ? 'Approved records become public immediately. You can withdraw each one later.'
            : isFlood
              ? 'This rejects up to 1,000 waiting records that were sent from this network without an account. Records that arrive before you confirm are included.'
              : 'The same reason applies to every selected record. You can reopen each one later.'}
        </p>
        {needsReason && (
          <ReasonFields
            id="reason-of-many"
            value={reason}
            hint="It is sent to contributors who have an account."
            onChange={(text) => desk.setReason(0, text)}
          />
        )}
        <p class="row">
          <button class={`button ${needsReason ? 'danger' : 'primary'}`} disabled={needsReason && reason.trim() === ''}>
            {verb} {countText(count, 'record')}
          </button>
          <button type="button" class="button" data-first onClick={close}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}
