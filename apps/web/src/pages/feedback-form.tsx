import { useRef } from 'preact/hooks';
import type { FeedbackPage, Frame } from '@esd/pages/page';
import { moveFocus } from '../client/move-focus.ts';
import { countText } from '../format.ts';
import { type FeedbackErrors, IMAGE_TYPES, useFeedback } from './use-feedback.ts';

const CATEGORIES = [
  ['data', 'An experiment or its data'],
  ['pages', 'This website'],
  ['api', 'The API or the Python client'],
  ['other', 'Something else'],
] as const;

/** The form for feedback. The browser stores the draft until it is sent. */
export function FeedbackForm({ page: { recordId }, frame: { base, address } }: { page: FeedbackPage; frame: Frame }) {
  const { texts, errors, state, check, change, chooseImage, send } = useFeedback(base, recordId);
  const summary = useRef<HTMLDivElement>(null);
  if (state.value.is === 'sent') return <Sent id={state.value.id} recordId={recordId} base={base} />;
  const { name, category, subject, message } = texts.value;
  const isSending = state.value.is === 'sending';
  const hasErrors = Object.keys(errors.value).length > 0;
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    if (state.value.is === 'sending') return;
    if (check()) void send();
    else moveFocus(summary.current);
  };
  return (
    <div class="wrap">
      <h1>{recordId === undefined ? 'Give feedback' : `Report a problem with record ${recordId}`}</h1>
      <p class="lede">
        Only administrators read your feedback. Your account and your IP address are not stored. To get a reply, include
        your contact details.
      </p>
      <p class="note without-script">
        This form requires JavaScript. Without it, send JSON with the fields name, category, subject, and message to{' '}
        <code>POST {new URL(`${base}/feedback/submit`, address).href}</code>.
      </p>
      <form class="form needs-script" onSubmit={onSubmit} noValidate>
        <div ref={summary} tabIndex={-1} role="alert" class={hasErrors ? 'note bad' : undefined}>
          {hasErrors && <ErrorSummary errors={errors.value} />}
          {state.value.is === 'refused' && <p class="note bad">{state.value.why}</p>}
        </div>
        <div class="field">
          <label for="feedback-category">What is it about?</label>
          <select
            id="feedback-category"
            value={category}
            onChange={({ currentTarget: { value } }) => change({ category: value })}
          >
            {CATEGORIES.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="feedback-subject">Subject</label>
          <input
            id="feedback-subject"
            maxLength={200}
            value={subject}
            onInput={({ currentTarget: { value } }) => change({ subject: value })}
          />
        </div>
        <div class="field">
          <label for="feedback-message">Message (required)</label>
          <textarea
            id="feedback-message"
            maxLength={10_000}
            required
            value={message}
            aria-invalid={errors.value.message !== undefined}
            aria-describedby={errors.value.message === undefined ? undefined : 'feedback-message-error'}
            onInput={({ currentTarget: { value } }) => change({ message: value })}
          />
          {errors.value.message !== undefined && (
            <p class="error" id="feedback-message-error">
              {errors.value.message}
            </p>
          )}
        </div>
        <ImageField error={errors.value.image} onChoose={chooseImage} />
        <div class="field">
          <label for="feedback-name">Your name</label>
          <input
            id="feedback-name"
            maxLength={200}
            autocomplete="name"
            value={name}
            onInput={({ currentTarget: { value } }) => change({ name: value })}
          />
        </div>
        <p>
          <button type="submit" class="button primary" aria-disabled={isSending}>
            {isSending ? 'Sending…' : 'Send feedback'}
          </button>
        </p>
      </form>
    </div>
  );
}

function Sent({ id, recordId, base }: { id: number; recordId: number | undefined; base: string }) {
  return (
    <div class="wrap">
      <h1>Thank you</h1>
      <p class="note ok" role="status">
        Your feedback was sent (number {id}). The administrators will read it.
      </p>
      <p>{recordId !== undefined && <a href={`${base}/record/${recordId}`}>Back to record {recordId}</a>}</p>
    </div>
  );
}

function ErrorSummary({ errors }: { errors: FeedbackErrors }) {
  const entries = Object.entries(errors);
  return (
    <>
      <p>{countText(entries.length, 'thing')} to fix before you can send</p>
      <ul>
        {entries.map(([field, text]) => (
          <li key={field}>
            <a href={`#feedback-${field}`}>{text}</a>
          </li>
        ))}
      </ul>
    </>
  );
}

function ImageField({ error, onChoose }: { error: string | undefined; onChoose: (image: File | undefined) => void }) {
  return (
    <div class="field">
      <label for="feedback-image">Image</label>
      <input
        id="feedback-image"
        type="file"
        accept={IMAGE_TYPES.join(',')}
        aria-invalid={error !== undefined}
        aria-describedby={`feedback-image-hint${error === undefined ? '' : ' feedback-image-error'}`}
        onChange={({ currentTarget: { files } }) => onChoose(files?.[0])}
      />
      <p class="hint" id="feedback-image-hint">
        A PNG, JPEG, or WebP image of at most 5 MiB.
      </p>
      {error !== undefined && (
        <p class="error" id="feedback-image-error">
          {error}
        </p>
      )}
    </div>
  );
}
