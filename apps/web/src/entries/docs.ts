/** The script of the API documentation: the language of all examples, and the forms that send a request. */
import { bytesText } from '../format.ts';
import { moveFocus } from '../client/move-focus.ts';
import { storedText, storeText } from '../client/stored-text.ts';

const LANGUAGE = 'esd-docs-language';
const TIMEOUT_MS = 60_000;
/** The part of a response that is read and shown. */
const MAX_BYTES = 64 * 1024;
const TEXT = /^(?:text\/|application\/(?:.*\+)?(?:json|xml)\b|application\/x-(?:bibtex|research-info-systems))/;

const languages = document.querySelectorAll<HTMLInputElement>('.examples input[type=radio]');
chooseLanguage(storedText(LANGUAGE));
document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLInputElement && target.closest('.examples') && target.type === 'radio') {
    chooseLanguage(target.value);
    storeText(LANGUAGE, target.value);
  }
});

// Without script, these fields would send empty parameters.
for (const field of document.querySelectorAll<HTMLInputElement | HTMLSelectElement>('form[data-try] :disabled')) {
  field.disabled = false;
}
document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.dataset['token'] === undefined) return;
  for (const field of document.querySelectorAll<HTMLInputElement>('[data-token]')) field.value = target.value;
});
document.addEventListener('submit', (event) => {
  const { target } = event;
  if (!(target instanceof HTMLFormElement) || target.dataset['try'] === undefined) return;
  event.preventDefault();
  void send(target);
});

function chooseLanguage(language: string | null): void {
  for (const radio of languages) if (radio.value === language) radio.checked = true;
}

const sending = new WeakMap<HTMLFormElement, AbortController>();

/** Sends the request of a form, and shows the response below it. A new request aborts the previous one. */
async function send(form: HTMLFormElement): Promise<void> {
  sending.get(form)?.abort();
  const aborting = new AbortController();
  sending.set(form, aborting);
  const token = form.querySelector<HTMLInputElement>('[data-token]')?.value.trim();
  const url = urlOf(form);
  const startedAt = performance.now();
  const took = (): string => `${Math.round(performance.now() - startedAt)}\u202fms`;
  show(form, element('h4', {}, 'Sending …'));
  const finish = (title: string, content: readonly Element[]): void => {
    const heading = element('h4', {}, title);
    show(form, heading, ...content);
    moveFocus(heading);
  };
  try {
    const response = await fetch(url, {
      headers: {
        Accept: 'application/json, */*;q=0.5',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      signal: AbortSignal.any([aborting.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const { status, statusText, headers } = response;
    const body = await bodyOf(response, url, token !== undefined);
    finish(`${status} ${statusText} in ${took()}`, [
      element('p', { className: 'small hash' }, element('code', {}, `GET ${url}`)),
      element(
        'details',
        {},
        element('summary', {}, 'Response headers'),
        element('pre', { tabIndex: 0 }, [...headers].map(([name, value]) => `${name}: ${value}`).join('\n')),
      ),
      ...body,
    ]);
  } catch (error) {
    if (aborting.signal.aborted) return;
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    const reason = isLate ? `No response within ${took()}.` : 'The service did not respond.';
    finish('No response', [element('p', {}, `${reason} Check your connection and try again.`)]);
  }
}

/** Returns the URL with the path parameters and the parameters that have a value. */
function urlOf(form: HTMLFormElement): string {
  const fields = form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select');
  let path = form.dataset['try'] ?? '';
  const query = new URLSearchParams();
  for (const { name, value, dataset } of fields) {
    const parameter = dataset['path'];
    if (parameter !== undefined) path = path.replace(`{${parameter}}`, () => encodeURIComponent(value));
    else if (name !== '' && value !== '') query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Returns the shown body: a text, cut off if it is long; otherwise a link to the file. */
async function bodyOf(response: Response, url: string, isPrivate: boolean): Promise<Element[]> {
  const type = response.headers.get('Content-Type') ?? '';
  const size = Number(response.headers.get('Content-Length') ?? 'NaN');
  const sizeText = Number.isNaN(size) ? '' : `, ${bytesText(size)}`;
  const whole = (text: string): Element =>
    isPrivate
      ? element('p', { className: 'small' }, `${text} Use the example to save it.`)
      : element('p', { className: 'small' }, `${text} `, element('a', { href: url }, 'Open it'));
  if (!response.body || type === '') return [element('p', { className: 'small' }, 'The response has no body.')];
  if (!TEXT.test(type)) {
    await response.body.cancel();
    return [whole(`The response is a file (${type}${sizeText}).`)];
  }
  const { text, isCut } = await beginning(response.body);
  const pre = element('pre', { tabIndex: 0 }, isCut ? text : pretty(text, type));
  return isCut
    ? [whole(`The response is longer than the first ${bytesText(MAX_BYTES)} that are shown here.`), pre]
    : [pre];
}

async function beginning(body: ReadableStream<Uint8Array>): Promise<{ text: string; isCut: boolean }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), isCut: false };
    const rest = value.subarray(0, MAX_BYTES - bytes);
    bytes += rest.length;
    text += decoder.decode(rest, { stream: true });
    if (rest.length < value.length) {
      await reader.cancel();
      return { text, isCut: true };
    }
  }
}

function pretty(text: string, type: string): string {
  if (!type.includes('json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** Replaces what is below a form. */
function show(form: HTMLFormElement, ...content: readonly Element[]): void {
  const made = element('div', { className: 'answer' }, ...content);
  // A field with the name of a method, such as `after`, hides that method of its form.
  const around = form.parentElement;
  around?.querySelector('.answer')?.remove();
  around?.append(made);
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  members: Partial<HTMLElementTagNameMap[Name]>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), members);
  made.append(...children);
  return made;
}
