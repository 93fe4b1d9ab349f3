import type { Frame } from '@esd/pages/page';
import { useEffect, useMemo } from 'preact/hooks';
import { StaffOnly } from '../staff/staff-only.tsx';
import { useStaff } from '../staff/service.ts';
import { Toast } from '../staff/toast.tsx';
import { DecisionBar } from './decision-bar.tsx';
import { DecisionList } from './decision-list.tsx';
import { type Keys, keys, KeysDialog } from './keys.tsx';
import { type Moderation, moderation } from './moderation.ts';
import { QueueList } from './queue-list.tsx';
import { ReviewPane } from './review-pane.tsx';

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
  const desk = useMemo(() => moderation({ request }), [request]);
  const pressed = useMemo(() => keys(desk), [desk]);
  useEffect(() => start(desk, pressed), [desk, pressed]);
  const { view, shown, failure, queue } = desk;
  const isOpen = view.value.recordId !== undefined;
  return (
    <div class={`desk${isOpen ? ' has-record' : ''}`}>
      {view.value.isMine ? <DecisionList desk={desk} /> : <QueueList desk={desk} />}
      <div class="review">
        {isOpen ? (
          <ReviewPane desk={desk} />
        ) : (
          <div class="padded">
            <h1>Moderate</h1>
            <p class="muted">
              {queue.value.isLoading
                ? 'Loading…'
                : queue.value.total === 0
                  ? 'The queue is empty.'
                  : 'Choose a record.'}
            </p>
          </div>
        )}
        {(shown.value !== undefined || desk.chosen.value.size > 0 || failure.value !== undefined) && (
          <DecisionBar desk={desk} keys={pressed} />
        )}
      </div>
      <KeysDialog keys={pressed} />
      <Toast of={desk.done} />
    </div>
  );
}

/** Loads the view in the URL and adds the listeners. Returns a function that removes them. */
function start(desk: Moderation, { onKey }: Keys): () => void {
  void (desk.view.value.isMine ? Promise.resolve() : desk.list()).then(() => {
    const [first] = desk.queue.value.entries;
    // A narrow screen shows either the queue or a record.
    if (first && desk.view.value.recordId === undefined && matchMedia(WIDE).matches)
      desk.go({ recordId: first.recordId }, 'replace');
  });
  void desk.open();
  addEventListener('popstate', desk.restoreFromUrl);
  document.addEventListener('keydown', onKey);
  return () => {
    removeEventListener('popstate', desk.restoreFromUrl);
    document.removeEventListener('keydown', onKey);
  };
}
