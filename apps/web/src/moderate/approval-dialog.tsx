import { countText } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Button } from '../parts/buttons.tsx';
import type { Moderation } from './moderation.ts';

const MAX_LISTED = 50;

export function ApprovalDialog({ desk: { approval } }: { desk: Moderation }) {
  if (!approval.value) return null;
  const { title, count, warnedCount, warnings, send } = approval.value;
  const close = (): void => {
    approval.value = undefined;
  };
  const unlisted = warnings.length - MAX_LISTED;
  return (
    <Dialog title={title} onClose={close}>
      <p>
        {warnedCount === 0
          ? 'None of them has a warning.'
          : `${countText(warnedCount, 'record has', 'records have')} warnings${warnings.some(({ isHigh }) => isHigh) ? ', some of high severity' : ''}:`}
      </p>
      <ul class="doubts small">
        {warnings.slice(0, MAX_LISTED).map(({ text, isHigh, count: records }) => (
          <li key={text}>
            {isHigh && <b>High: </b>}
            {text} {records > 1 && <span class="muted">({countText(records, 'record')})</span>}
          </li>
        ))}
        {unlisted > 0 && <li>and {countText(unlisted, 'other warning')}</li>}
      </ul>
      <p class="row">
        <Button
          class="primary"
          onClick={() => {
            close();
            void send();
          }}
        >
          Approve {count}
        </Button>
        <Button data-first onClick={close}>
          Cancel
        </Button>
      </p>
    </Dialog>
  );
}
