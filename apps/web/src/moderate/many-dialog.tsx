import { countText } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import type { Moderation } from './moderation.ts';
import { MAX_AT_ONCE } from './queue.ts';
import { ReasonFields } from './reason-fields.tsx';

/** `flood`: rejects all from the network of the place that came without an account. */
export type ManyAct = 'approve' | 'reject' | 'flood';

/** Asks before many records are decided at once. */
export function ManyDialog({ desk, act, close }: { desk: Moderation; act: ManyAct; close: () => void }) {
  const { chosen, place, reasons, queue } = desk;
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
            isFlood ? { origin: place.value.origin } : 'chosen',
            needsReason ? reason.trim() : undefined,
          );
        }}
      >
        <p>
          {act === 'approve'
            ? 'They become public at once. Each can be withdrawn later, one at a time.'
            : isFlood
              ? 'Every record without an account that was sent from this network and waits is rejected, up to 1,000 at once, also those that come in until then.'
              : 'All are rejected for the same reason. Each can be reopened later.'}
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
            Keep them waiting
          </button>
        </p>
      </form>
    </Dialog>
  );
}
