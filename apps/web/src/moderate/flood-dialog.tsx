import { countText } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Button } from '../parts/buttons.tsx';
import { onSubmit } from '../client/events.ts';
import type { Moderation } from './moderation.ts';
import { MAX_AT_ONCE } from './queue.ts';
import { ReasonFields } from './reason-fields.tsx';

/** Asks for the reason to reject all anonymous records from one network. */
export function FloodDialog({ desk, close }: { desk: Moderation; close: () => void }) {
  const { view, reasons, records } = desk;
  const reason = reasons.value.get(0) ?? '';
  const { total } = records.queue.value;
  const count = Math.min(MAX_AT_ONCE, total);
  const title = `Reject the ${count < total ? 'first ' : ''}${countText(count, 'waiting record')} from this network?`;
  return (
    <Dialog title={title} onClose={close}>
      <form
        onSubmit={onSubmit(() => {
          close();
          void desk.rejectOrigin(view.value.origin, reason.trim());
        })}
      >
        <p>
          This rejects up to 1,000 waiting records that were sent from this network without an account. Records that
          arrive before you confirm are included.
        </p>
        <ReasonFields
          id="reason-of-many"
          value={reason}
          hint="It is sent to contributors who have an account."
          onChange={(text) => desk.setReason(0, text)}
        />
        <p class="row">
          <button class="button danger" disabled={reason.trim() === ''}>
            Reject {countText(count, 'record')}
          </button>
          <Button data-first onClick={close}>
            Cancel
          </Button>
        </p>
      </form>
    </Dialog>
  );
}
