import { loadUnread } from '../client/unread.ts';
import { Thread } from '../parts/thread.tsx';
import { useStaff } from '../staff/service.ts';

export function Messages({ recordId, unread }: { recordId: number; unread: number }) {
  const { request, base } = useStaff();
  return (
    <section class="section" aria-labelledby="messages">
      <h2 id="messages">Messages with the contributor</h2>
      <Thread
        key={recordId}
        request={request}
        recordId={recordId}
        reader="moderator"
        unread={unread}
        label="Write to the contributor"
        hint="They are notified by email. They do not see your name."
        onRead={() => void loadUnread(base).catch(() => undefined)}
      />
    </section>
  );
}
