import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { FeedbackPage, Frame } from '@esd/pages/page';
import { ask, RequestError } from '../client/ask.ts';
import { bytesText } from '../format.ts';

const CATEGORIES = [
  ['data', 'An experiment or its data'],
  ['pages', 'These pages'],
  ['api', 'The API or the Python client'],
  ['other', 'Something else'],
] as const;
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp'];
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const DRAFT = 'esd-feedback-draft';

interface Texts {
  name: string;
  category: string;
  subject: string;
  message: string;
}

type State = { is: 'open' | 'sending' } | { is: 'sent'; id: number } | { is: 'refused'; why: string };

/** The form for feedback. What was typed is kept on the device until it is sent. */
export function FeedbackForm({ page: { recordId }, frame: { base, address } }: { page: FeedbackPage; frame: Frame }) {
  const texts = useSignal<Texts>({
    name: '',
    category: 'data',
    subject: recordId === undefined ? '' : `Record ${recordId}`,
    message: '',
  });
  const image = useSignal<File | undefined>(undefined);
  const errors = useSignal<Readonly<Partial<Record<'message' | 'image', string>>>>({});
  const state = useSignal<State>({ is: 'open' });
  const summary = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const { value: empty } = texts;
    const draft = keptDraft();
    if (draft) texts.value = { ...empty, ...draft, ...(recordId === undefined ? {} : { subject: empty.subject }) };
  }, [texts, recordId]);

  const change = (changed: Partial<Texts>): void => {
    texts.value = { ...texts.value, ...changed };
    keepDraft(texts.value);
    if (changed.message !== undefined && errors.value.message !== undefined) check();
  };
  const check = (): boolean => {
    const messageError = texts.value.message.trim() === '' ? 'Write what you want to say.' : undefined;
    const imageError = imageProblem(image.value);
    errors.value = {
      ...(messageError === undefined ? {} : { message: messageError }),
      ...(imageError === undefined ? {} : { image: imageError }),
    };
    return messageError === undefined && imageError === undefined;
  };
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (state.value.is === 'sending') return;
    if (!check()) {
      summary.current?.focus();
      return;
    }
    state.value = { is: 'sending' };
    try {
      const imageBase64 = image.value ? await base64Of(image.value) : undefined;
      const { body } = await ask(`${base}/feedback/submit`, { method: 'POST', json: { ...texts.value, imageBase64 } });
      keepDraft(undefined);
      state.value = { is: 'sent', id: idOf(body) };
    } catch (error) {
      const why = error instanceof RequestError ? error.message : 'The image could not be read. Choose it again.';
      state.value = { is: 'refused', why };
    }
  };

  if (state.value.is === 'sent') {
    return (
      <div class="wrap">
        <h1>Thank you</h1>
        <p class="note ok" role="status">
          Sent as number {state.value.id}. The administrators will read it.
        </p>
        <p>{recordId !== undefined && <a href={`${base}/record/${recordId}`}>Back to record {recordId}</a>}</p>
      </div>
    );
  }
  const { name, category, subject, message } = texts.value;
  const problems = Object.entries(errors.value);
  return (
    <div class="wrap">
      <h1>{recordId === undefined ? 'Give feedback' : `Report a problem with record ${recordId}`}</h1>
      <p class="lede">
        Only the administrators read it. Your account and your address are not stored; to get an answer, say how.
      </p>
      <p class="note without-script">
        Sending needs script. Without it, send JSON with the members name, category, subject and message to{' '}
        <code>POST {new URL(`${base}/feedback/submit`, address).href}</code>.
      </p>
      <form class="form needs-script" onSubmit={(event) => void send(event)} noValidate>
        <div ref={summary} tabIndex={-1} role="alert" class={problems.length > 0 ? 'note bad' : undefined}>
          {problems.length > 0 && (
            <>
              <p>{problems.length === 1 ? '1 thing' : `${problems.length} things`} to fix before you can send</p>
              <ul>
                {problems.map(([field, text]) => (
                  <li key={field}>
                    <a href={`#feedback-${field}`}>{text}</a>
                  </li>
                ))}
              </ul>
            </>
          )}
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
        <div class="field">
          <label for="feedback-image">Image</label>
          <input
            id="feedback-image"
            type="file"
            accept={IMAGE_TYPES.join(',')}
            aria-invalid={errors.value.image !== undefined}
            aria-describedby={`feedback-image-hint${errors.value.image === undefined ? '' : ' feedback-image-error'}`}
            onChange={({ currentTarget: { files } }) => {
              image.value = files?.[0];
              check();
            }}
          />
          <p class="hint" id="feedback-image-hint">
            A PNG, JPEG or WebP image of at most 5 MiB.
          </p>
          {errors.value.image !== undefined && (
            <p class="error" id="feedback-image-error">
              {errors.value.image}
            </p>
          )}
        </div>
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
          <button type="submit" class="button primary" aria-disabled={state.value.is === 'sending'}>
            {state.value.is === 'sending' ? 'Sending…' : 'Send feedback'}
          </button>
        </p>
      </form>
    </div>
  );
}

function imageProblem(image: File | undefined): string | undefined {
  if (!image) return undefined;
  if (!IMAGE_TYPES.includes(image.type)) return `${image.name} is no PNG, JPEG or WebP image. Choose another one.`;
  if (image.size <= MAX_IMAGE_BYTES) return undefined;
  return `${image.name} has ${bytesText(image.size)}. Choose one of at most 5 MiB.`;
}

function base64Of(image: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('the image cannot be read')));
    reader.readAsDataURL(image);
  });
}

function idOf(body: unknown): number {
  return typeof body === 'object' && body !== null && 'id' in body ? Number(body.id) : NaN;
}

function keptDraft(): Partial<Texts> | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(DRAFT) ?? 'null');
    if (typeof kept !== 'object' || kept === null) return undefined;
    return Object.fromEntries(Object.entries(kept).filter(([, value]) => typeof value === 'string'));
  } catch {
    return undefined;
  }
}

function keepDraft(texts: Texts | undefined): void {
  try {
    if (texts) localStorage.setItem(DRAFT, JSON.stringify(texts));
    else localStorage.removeItem(DRAFT);
  } catch {
    // Storage is switched off: what was typed stays in the form alone.
  }
}
