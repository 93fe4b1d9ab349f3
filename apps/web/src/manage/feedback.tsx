import type { ResponseAt } from '@esd/api/operations';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call } from '../client/call.ts';
import { fieldText } from '../client/form.ts';
import { dateText } from '../format.ts';
import { Failure } from '../staff/failure.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { useStaff } from '../staff/service.ts';
import { useAct } from '../staff/use-act.ts';
import { useRows } from '../staff/use-rows.ts';
import { LinkButton } from '../parts/buttons.tsx';
import { useLoadedValue } from '../staff/use-loaded-value.ts';
import { onSubmit } from '../client/events.ts';
import { FilterForm } from './filter-form.tsx';
import type { SectionProps } from './section.ts';
import { Rows } from './rows.tsx';

const STATES = ['OPEN', 'IN_PROGRESS', 'CLOSED'] as const;
type State = (typeof STATES)[number];
const NAMES: Readonly<Record<State, string>> = { OPEN: 'open', IN_PROGRESS: 'in progress', CLOSED: 'closed' };

type Message = ResponseAt<'get', '/feedback'>['data'][number];

export function Feedback({ notify }: SectionProps) {
  const { request } = useStaff();
  const filters = useSignal<Readonly<Record<string, string>>>({});
  const messages = useRows('feedback', filters.value, (send, options) => call(send, 'get', '/feedback', options));
  const deleted = useSignal<Message | undefined>(undefined);
  return (
    <section aria-labelledby="feedback">
      <h2 id="feedback">Feedback</h2>
      <FilterForm
        fields={[{ name: 'state', label: 'State', options: STATES.map((state) => [state, NAMES[state]]) }]}
        onFilter={(values) => (filters.value = values)}
      />
      <Rows
        labelledBy="feedback"
        heads={['Sent', 'Message', 'State and note', 'Actions']}
        none="No feedback matches."
        shown={messages.value?.data.length}
        total={messages.value?.total ?? 0}
        {...messages}
      >
        {messages.value?.data.map((message) => (
          <tr key={message.id}>
            <td class="nowrap">{dateText(message.submittedAt)}</td>
            <td class="prose">
              <b>{message.subject === '' ? 'No subject' : message.subject}</b>
              <span class="muted"> {[message.category, message.name].filter((text) => text !== '').join(', by ')}</span>
              <p class="words">{message.message}</p>
              {message.hasImage && <SentImage id={message.id} />}
            </td>
            <td>
              <Handling message={message} notify={notify} reload={messages.reload} />
            </td>
            <td>
              <LinkButton aria-label={`Delete feedback ${message.id}`} onClick={() => (deleted.value = message)}>
                Delete…
              </LinkButton>
            </td>
          </tr>
        ))}
      </Rows>
      {deleted.value && (
        <ConfirmDialog
          title={`Delete feedback ${deleted.value.id}?`}
          confirmLabel="Delete the feedback"
          cancelLabel="Keep it"
          onClose={() => (deleted.value = undefined)}
          onAct={async () => {
            const id = deleted.value?.id ?? 0;
            await request(`/feedback/${id}`, { method: 'DELETE' });
            notify(`Feedback ${id} was deleted.`);
            messages.reload();
          }}
        >
          <p>Its text, name, and image are erased. This cannot be undone.</p>
        </ConfirmDialog>
      )}
      <EraseSender notify={notify} />
    </section>
  );
}

interface HandlingProps {
  message: Message;
  notify: (text: string) => void;
  reload: () => void;
}

function Handling({ message: { id, state, note = '' }, notify, reload }: HandlingProps) {
  const { request } = useStaff();
  const { failure, run } = useAct();
  const save = async (data: FormData): Promise<void> => {
    const json = { state: data.get('state'), note: data.get('note') };
    await request(`/feedback/${id}`, { method: 'PATCH', json, isRepeatable: true });
    notify(`Feedback ${id} was saved.`);
    reload();
  };
  return (
    <form class="handling" onSubmit={onSubmit((data) => void run(() => save(data)))}>
      <select name="state" aria-label={`State of feedback ${id}`} defaultValue={state}>
        {STATES.map((option) => (
          <option key={option} value={option} selected={option === state}>
            {NAMES[option]}
          </option>
        ))}
      </select>
      <textarea name="note" aria-label={`Note on feedback ${id}`} rows={2} maxLength={2_000} defaultValue={note} />
      <button class="button">Save</button>
      <Failure error={failure.value} />
    </form>
  );
}

/** Erases the personal data of a sender who requests it. */
function EraseSender({ notify }: SectionProps) {
  const { request } = useStaff();
  const toErase = useSignal<string | undefined>(undefined);
  return (
    <section class="section" aria-labelledby="erase">
      <h2 id="erase">Personal data of a submission</h2>
      <p class="small muted">
        If a sender requests it, erase the name, the email address, and all other personal data here. The records
        remain.
      </p>
      <form class="row" onSubmit={onSubmit((data) => (toErase.value = fieldText(data, 'submission').trim()))}>
        <input
          name="submission"
          aria-label="Submission number"
          placeholder="Submission number"
          inputMode="numeric"
          pattern="[1-9][0-9]*"
          required
        />
        <button class="button danger">Erase the sender…</button>
      </form>
      {toErase.value !== undefined && (
        <ConfirmDialog
          title={`Erase the sender of submission ${toErase.value}?`}
          confirmLabel="Erase the sender"
          cancelLabel="Cancel"
          onClose={() => (toErase.value = undefined)}
          onAct={async () => {
            await request(`/admin/submissions/${toErase.value ?? ''}/submitter`, {
              method: 'DELETE',
              isRepeatable: true,
            });
            notify(`The sender of submission ${toErase.value ?? ''} was erased.`);
          }}
        >
          <p>The moderation page and the list of contributors no longer show the sender. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function SentImage({ id }: { id: number }) {
  const isShown = useSignal(false);
  const act = isShown.value ? 'Hide the image' : 'Show the image';
  return (
    <>
      <LinkButton
        aria-expanded={isShown.value}
        aria-label={`${act} of feedback ${id}`}
        onClick={() => (isShown.value = !isShown.value)}
      >
        {act}
      </LinkButton>
      {isShown.value && <Loaded id={id} />}
    </>
  );
}

/** Loads the file into an img element only, so that a browser never opens a hostile file as a document. */
function Loaded({ id }: { id: number }) {
  const { request } = useStaff();
  const address = useSignal<string | undefined>(undefined);
  const isBroken = useSignal(false);
  const path = `/feedback/${id}/image`;
  const {
    value: file,
    error,
    reload,
  } = useLoadedValue(path, async (signal) => (await request(path, { isFile: true, signal })).body);
  useEffect(() => {
    if (!(file instanceof Blob)) return;
    const url = URL.createObjectURL(file);
    address.value = url;
    return () => URL.revokeObjectURL(url);
  }, [file, address]);
  if (error !== undefined) return <Failure error={error} again={reload} />;
  if (isBroken.value) return <p class="small">This file cannot be shown as an image.</p>;
  if (address.value === undefined) return <p class="small muted">Loading…</p>;
  return (
    <p>
      <img class="sent" src={address.value} alt={`Sent with feedback ${id}`} onError={() => (isBroken.value = true)} />
    </p>
  );
}
