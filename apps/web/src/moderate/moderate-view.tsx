import type { Frame } from '@esd/pages/page';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { moveFocus } from '../client/move-focus.ts';
import { StaffOnly } from '../staff/staff-only.tsx';
import { useStaff } from '../staff/service.ts';
import { Toast } from '../staff/toast.tsx';
import { listsRecords } from './address.ts';
import { DecisionBar } from './decision-bar.tsx';
import { DecisionList } from './decision-list.tsx';
import { type Keys, keys, KeysDialog } from './keys.tsx';
import { type Moderation, moderation } from './moderation.ts';
import { QueueList } from './queue-list.tsx';
import { loadDetails, ReviewPane } from './review-pane.tsx';
import { TablePane } from './table-pane.tsx';

const WIDE = '(min-width: 1024px)';

export function ModerateView({ frame: { base } }: { frame: Frame }) {
  return (
    <StaffOnly base={base} role="MODERATOR" title="Moderate">
      <Desk />
    </StaffOnly>
  );
}

function Desk() {
  const { request } = useStaff();
  const desk = useMemo(() => moderation({ request, loadDetails }), [request]);
  const pressed = useMemo(() => keys(desk), [desk]);
  useEffect(() => start(desk, pressed), [desk, pressed]);
  const { view, shown, failure, submission } = desk;
  const { recordId, submissionId } = view.value;
  const isOpen = recordId !== undefined || submissionId !== undefined;
  return (
    <div class={`desk${isOpen ? ' has-record' : ''}`}>
      {view.value.isMine ? <DecisionList desk={desk} /> : <QueueList desk={desk} />}
      <div class="review">
        {recordId !== undefined ? (
          <ReviewPane desk={desk} />
        ) : submissionId !== undefined ? (
          <TablePane desk={desk} />
        ) : (
          <NothingOpen desk={desk} />
        )}
        {(shown.value ?? submission.table.value ?? failure.value) !== undefined && (
          <DecisionBar desk={desk} keys={pressed} />
        )}
      </div>
      <KeysDialog keys={pressed} />
      <Toast of={desk.done} />
    </div>
  );
}

function NothingOpen({ desk }: { desk: Moderation }) {
  const hasRecords = listsRecords(desk.view.value);
  const { isLoading, total } = (hasRecords ? desk.records : desk.submissions).queue.value;
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    // The current entry of the list takes the focus, if there is one.
    if (desk.hasMoved() && document.activeElement === document.body) moveFocus(heading.current);
  }, [desk]);
  return (
    <div class="padded">
      <h1 ref={heading} tabIndex={-1}>
        Moderate
      </h1>
      <p class="muted">
        {isLoading
          ? 'Loading…'
          : total === 0
            ? 'The queue is empty.'
            : `Choose a ${hasRecords ? 'record' : 'submission'}.`}
      </p>
    </div>
  );
}

/** Loads the view in the URL and adds the listeners. Returns a function that removes them. */
function start(desk: Moderation, { onKey }: Keys): () => void {
  void (desk.view.value.isMine ? Promise.resolve() : desk.list()).then(() => {
    const { recordId, submissionId } = desk.view.value;
    // A narrow screen shows either the queue or what is open.
    if (recordId !== undefined || submissionId !== undefined || !matchMedia(WIDE).matches) return;
    desk.openFirst();
  });
  void desk.open();
  void desk.openTable();
  addEventListener('popstate', desk.restoreFromUrl);
  document.addEventListener('keydown', onKey);
  return () => {
    removeEventListener('popstate', desk.restoreFromUrl);
    document.removeEventListener('keydown', onKey);
  };
}
