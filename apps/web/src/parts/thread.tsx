import type { ResponseAt } from '@esd/api/operations';
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { problemText } from '../client/form.ts';
import { useResponse } from '../client/loaded.ts';
import { moveFocus } from '../client/move-focus.ts';
import { call, type Send } from '../client/call.ts';
import { dateText } from '../format.ts';
import { onSubmit } from '../client/events.ts';
import { LinkButton } from './buttons.tsx';
import { Pending } from './pending.tsx';

const MAX_LENGTH = 2_000;

const PATH = '/data/records/{recordId}/messages';
type Message = ResponseAt<'get', typeof PATH>[number];

interface Props {
  request: Send;
  recordId: number;
  reader: Message['from'];
  /** Number of messages that the reader's side had not read when the page loaded. */
  unread: number;
  /** The label of the field. */
  label: string;
  hint?: string;
  /** Runs after sending a message, and after marking messages as read. */
  onRead: () => void;
}

/** The messages about a record, oldest first, with a field for the next one. */
export function Thread({ request, recordId, reader, unread: given, label, hint, onRead }: Props) {
  const parameters = { recordId };
  const thread = useResponse(request, PATH, parameters);
  const text = useSignal('');
  const problem = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const note = useSignal('');
  const isRead = useSignal(false);
  const id = useId();
  const messages = thread.value.value ?? [];
  const others = messages.length - (messages.findLastIndex(({ from }) => from === reader) + 1);
  const unread = isRead.value ? 0 : Math.min(given, others);
  const newest = messages.at(-1);

  const run = async (act: () => Promise<void>): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = undefined;
    note.value = '';
    try {
      await act();
      isRead.value = true;
      onRead();
    } catch (error) {
      problem.value = problemText(error);
    } finally {
      isBusy.value = false;
    }
  };
  const send = async (): Promise<void> => {
    const { body } = await call(request, 'post', PATH, { parameters, json: { text: text.value.trim() } });
    text.value = '';
    await thread.reload();
    moveFocus(`${id}-${body.id}`);
  };
  const mark = async (upTo: number): Promise<void> => {
    await call(request, 'post', `${PATH}/read`, { parameters, json: { upTo }, isRepeatable: true });
    note.value = reader === 'owner' ? 'Marked as read.' : 'Marked as read for all moderators.';
    moveFocus(`${id}-${upTo}`);
  };

  return (
    <>
      <Pending of={thread} />
      {thread.value.value?.length === 0 && <p class="muted">No messages yet.</p>}
      <ol class="messages">
        {messages.map((message, index) => {
          const name = `${id}-${message.id}`;
          return (
            <li key={message.id} id={name} tabIndex={-1} aria-labelledby={`${name}-by ${name}-words`}>
              <p class="small muted" id={`${name}-by`}>
                {authorText(message, reader)}, {dateText(message.createdAt)}
                {index >= messages.length - unread && <strong class="new"> New</strong>}
              </p>
              <p class="words" id={`${name}-words`}>
                {message.text}
              </p>
            </li>
          );
        })}
      </ol>
      <p role="status" class="small muted">
        {note}
      </p>
      {unread > 0 && newest && (
        <p>
          <LinkButton disabled={isBusy.value} onClick={() => void run(() => mark(newest.id))}>
            Mark as read<span class="hidden-text"> the messages about record {recordId}</span>
          </LinkButton>
        </p>
      )}
      <form class="field" onSubmit={onSubmit(() => void run(send))}>
        <label for={`${id}-text`}>{label}</label>
        {hint !== undefined && (
          <span class="hint" id={`${id}-hint`}>
            {hint}
          </span>
        )}
        <textarea
          id={`${id}-text`}
          aria-describedby={hint === undefined ? undefined : `${id}-hint`}
          rows={3}
          maxLength={MAX_LENGTH}
          value={text.value}
          onInput={({ currentTarget: { value } }) => (text.value = value)}
        />
        {problem.value !== undefined && (
          <p class="note bad" role="alert">
            {problem}
          </p>
        )}
        <p>
          <button class="button" disabled={isBusy.value || text.value.trim() === ''}>
            Send message
          </button>
        </p>
      </form>
    </>
  );
}

function authorText({ mine, from }: Message, reader: Message['from']): string {
  if (mine) return 'You';
  if (from === 'owner') return 'The contributor';
  return reader === 'moderator' ? 'Another moderator' : 'A moderator';
}
