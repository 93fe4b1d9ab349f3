import { useSignal } from '@preact/signals';
import { moveFocus } from '../client/move-focus.ts';
import { useForm } from '../client/form.ts';
import { useLoaded } from '../client/loaded.ts';
import { requestSignedIn } from '../client/session.ts';
import { dateText } from '../format.ts';
import { messages as messagesShape, read } from './response-shapes.ts';
import { Problem } from './signed-out.tsx';
import { Pending } from './section.tsx';

/** The id of a message in the page. */
function messageId(id: number | undefined): string {
  return `sent-${id}`;
}

export function Messages({ base, recordId }: { base: string; recordId: number }) {
  const address = `${base}/data/records/${recordId}/messages`;
  const messages = useLoaded(() => read(messagesShape, address));
  // A new key empties the field.
  const round = useSignal(0);
  const form = useForm(async (text) => {
    await requestSignedIn(address, { method: 'POST', json: { text: text('text') } });
    round.value += 1;
    await messages.reload();
    moveFocus(messageId(messages.value.value?.at(-1)?.id));
  });
  const id = `message-${recordId}`;
  return (
    <div class="record-part">
      <Pending of={messages} />
      {messages.value.value?.length === 0 && <p class="muted">No messages yet.</p>}
      <ol>
        {messages.value.value?.map((message) => (
          <li key={message.id} id={messageId(message.id)}>
            <span class="muted">
              {message.mine ? 'You' : message.from === 'owner' ? 'The owner' : 'A moderator'},{' '}
              {dateText(message.createdAt)}
            </span>
            <p class="written">{message.text}</p>
          </li>
        ))}
      </ol>
      <form class="form" key={round.value} onSubmit={form.onSubmit}>
        <p class="field">
          <label for={id}>Message to the moderators</label>
          <textarea id={id} name="text" rows={3} required maxLength={2_000} />
        </p>
        <Problem of={form.problem.value} />
        <p>
          <button class="button" disabled={form.isBusy.value}>
            Send message
          </button>
        </p>
      </form>
    </div>
  );
}
