/** The script of every page: account link, copy buttons, focus, view counts, and removal of email tokens from the URL. */
import { copyText } from '../client/copy-text.ts';
import { keepFocus, moveFocus } from '../client/move-focus.ts';
import { SIGNED_IN_CHANGED, signedInRole } from '../client/signed-in.ts';
import { storedUnread, UNREAD_CHANGED } from '../client/stored-unread.ts';

const COPIED_MS = 1_500;
const UNREAD_EVERY_MS = 60_000;

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('button') : null;
  if (!button) return;
  const { copy } = button.dataset;
  if (copy !== undefined) void copyFrom(button, copy);
});

keepFocus();
// The click itself moves only the scroll position.
document.addEventListener('click', ({ target, defaultPrevented }) => {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href^="#"]') : null;
  if (link && !defaultPrevented) requestAnimationFrame(() => moveFocus(link.hash.slice(1)));
});

// Keeps the token out of the browser history. The form contains it.
if (document.querySelector('[data-token-in-address]')) history.replaceState(null, '', location.pathname);

showAccount();
addEventListener('storage', showAccount);
document.addEventListener(SIGNED_IN_CHANGED, showAccount);
document.addEventListener(UNREAD_CHANGED, showAccount);

let requestedAt = 0;
void refreshUnread();
document.addEventListener(SIGNED_IN_CHANGED, () => void refreshUnread());
document.addEventListener('visibilitychange', () => void refreshUnread());

/** Updates the account link and the links for staff in the header, from what this browser has stored. */
function showAccount(): void {
  const role = signedInRole();
  const { messages, answered } = storedUnread();
  const link = document.querySelector('[data-account]');
  if (link) showLabel(link, role === undefined ? 'Sign in' : 'My account', messages, '', ' unread messages');
  const moderation = document.querySelector('[data-role=MODERATOR]');
  if (moderation) showLabel(moderation, 'Moderate', answered, ' answered', ' records');
  for (const page of document.querySelectorAll<HTMLElement>('[data-role]')) {
    const isOwn = role === 'ADMIN' || role === page.dataset['role'];
    page.hidden = !isOwn && page.getAttribute('aria-current') === null;
  }
}

/** Labels a link as "Moderate (3 answered)"; the words of `hidden` follow only in its accessible name. */
function showLabel(link: Element, text: string, count: number, words: string, hidden: string): void {
  if (count === 0) {
    link.textContent = text;
    return;
  }
  const span = document.createElement('span');
  span.className = 'hidden-text';
  span.textContent = count === 1 ? hidden.replace(/s$/, '') : hidden;
  link.replaceChildren(`${text} (${count}${words})`, span);
}

/** Requests the counts of the header for all tabs, at most once a minute. Their absence is no problem of the page. */
async function refreshUnread(): Promise<void> {
  const last = Math.max(requestedAt, storedUnread().at);
  const href = document.querySelector('[data-account]')?.getAttribute('href');
  if (document.hidden || typeof href !== 'string' || signedInRole() === undefined) return;
  if (Math.abs(Date.now() - last) < UNREAD_EVERY_MS || !navigator.onLine) return;
  requestedAt = Date.now();
  const base = href.slice(0, href.lastIndexOf('/'));
  await import('../client/unread.ts').then(({ shareUnread }) => shareUnread(base)).catch(() => undefined);
}

/** Copies the text of the element with this id, and confirms it on the button. */
async function copyFrom(button: HTMLButtonElement, id: string): Promise<void> {
  const source = document.getElementById(id);
  if (!source) return;
  const text = source instanceof HTMLInputElement ? source.value : (source.textContent ?? '').trim();
  const label = button.textContent ?? '';
  button.textContent = (await copyText(text)) ? 'Copied' : 'Select the text and copy it';
  button.setAttribute('role', 'status');
  setTimeout(() => {
    button.textContent = label;
    button.removeAttribute('role');
  }, COPIED_MS);
}

const { viewTo, view } = document.body.dataset;
if (viewTo !== undefined && view !== undefined) {
  // Fire and forget: a view that cannot be sent is not counted.
  fetch(viewTo, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: view, keepalive: true })
    .then((response) => response.text())
    .catch(() => undefined);
}
