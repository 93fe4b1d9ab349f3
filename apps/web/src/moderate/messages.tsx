import { useSignal } from '@preact/signals';
import * as z from 'zod/mini';
import { moveFocus } from '../client/move-focus.ts';
import { read } from '../client/read.ts';
import { dateText } from '../format.ts';
import { Failure } from '../staff/failure.tsx';
import { useStaff } from '../staff/service.ts';
import { useAct } from '../staff/use-act.ts';
import { useLoadedValue } from '../staff/use-loaded-value.ts';
import { message } from './shapes.ts';

const MAX_LENGTH = 2_000;

/** The id of a message in the page. */
function messageId(id: number): string {
  return `sent-${id}`;
}

export function Messages({ recordId }: { recordId: number }) {
  const { request } = useStaff();
  const path = `/data/records/${recordId}/messages`;
  const thread = useLoadedValue(path, async (signal) => read(z.array(message), await request(path, { signal })));
  const text = useSignal('');
  const { isBusy, failure, run } = useAct();
  const send = async (): Promise<void> => {
    const { body } = await request(path, { method: 'POST', json: { text: text.value.trim() } });
    text.value = '';
    thread.reload();
    moveFocus(messageId(read(message, { body }).id));
  };
  return (
    <section class="section" aria-labelledby="messages">
      <h2 id="messages">Messages with the contributor</h2>
      <Failure error={thread.error} again={thread.reload} />
      {thread.value?.length === 0 && <p class="muted">No messages yet.</p>}
      <ol class="messages">
        {thread.value?.map(({ id, from, mine, text: words, createdAt }) => (
          <li key={id} id={messageId(id)}>
            <p class="small muted">
              {mine ? 'You' : from === 'owner' ? 'The contributor' : 'Another moderator'}, {dateText(createdAt)}
            </p>
            <p class="words">{words}</p>
          </li>
        ))}
      </ol>
      <form
        class="field"
        onSubmit={(event) => {
          event.preventDefault();
          void run(send);
        }}
      >
        <label for="message">Write to the contributor</label>
        <span class="hint" id="message-hint">
          They are notified by email. They do not see your name.
        </span>
        <textarea
          id="message"
          aria-describedby="message-hint"
          rows={3}
          maxLength={MAX_LENGTH}
          value={text.value}
          onInput={({ currentTarget: { value } }) => (text.value = value)}
        />
        <Failure error={failure.value} />
        <p>
          <button class="button" disabled={isBusy.value || text.value.trim() === ''}>
            Send message
          </button>
        </p>
      </form>
    </section>
  );
}
