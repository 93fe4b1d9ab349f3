import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { request, RequestError } from '../client/request.ts';
import { storedTexts, storeText } from '../client/stored-text.ts';
import { bytesText } from '../format.ts';

export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp'];
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const DRAFT = 'esd-feedback-draft';

interface Texts {
  name: string;
  category: string;
  subject: string;
  message: string;
}

export type FeedbackErrors = Readonly<Partial<Record<'message' | 'image', string>>>;

type State = { is: 'open' | 'sending' } | { is: 'sent'; id: number } | { is: 'refused'; why: string };

/** Manages the feedback form: stores the draft in the browser until it is sent, validates it, and sends it. */
export function useFeedback(base: string, recordId: number | undefined) {
  const texts = useSignal<Texts>({
    name: '',
    category: 'data',
    subject: recordId === undefined ? '' : `Record ${recordId}`,
    message: '',
  });
  const image = useSignal<File | undefined>(undefined);
  const errors = useSignal<FeedbackErrors>({});
  const state = useSignal<State>({ is: 'open' });

  useEffect(() => {
    const { value: empty } = texts;
    const subject = recordId === undefined ? {} : { subject: empty.subject };
    texts.value = { ...empty, ...storedTexts(DRAFT), ...subject };
  }, [texts, recordId]);

  const check = (): boolean => {
    const messageError = texts.value.message.trim() === '' ? 'Enter a message.' : undefined;
    const imageError = imageProblem(image.value);
    errors.value = {
      ...(messageError === undefined ? {} : { message: messageError }),
      ...(imageError === undefined ? {} : { image: imageError }),
    };
    return messageError === undefined && imageError === undefined;
  };
  return {
    texts,
    errors,
    state,
    check,
    change: (changed: Partial<Texts>): void => {
      texts.value = { ...texts.value, ...changed };
      storeText(DRAFT, JSON.stringify(texts.value));
      if (changed.message !== undefined && errors.value.message !== undefined) check();
    },
    chooseImage: (chosen: File | undefined): void => {
      image.value = chosen;
      check();
    },
    send: async (): Promise<void> => {
      state.value = { is: 'sending' };
      try {
        const imageBase64 = image.value ? await base64Of(image.value) : undefined;
        const response = await request(`${base}/feedback/submit`, {
          method: 'POST',
          json: { ...texts.value, imageBase64 },
        });
        storeText(DRAFT, undefined);
        state.value = { is: 'sent', id: idOf(response.body) };
      } catch (error) {
        const why = error instanceof RequestError ? error.message : 'The image could not be read. Choose it again.';
        state.value = { is: 'refused', why };
      }
    },
  };
}

function imageProblem(image: File | undefined): string | undefined {
  if (!image) return undefined;
  if (!IMAGE_TYPES.includes(image.type)) return `${image.name} is not a PNG, JPEG, or WebP image. Choose another file.`;
  if (image.size <= MAX_IMAGE_BYTES) return undefined;
  return `${image.name} is ${bytesText(image.size)}. Choose an image of at most 5 MiB.`;
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
