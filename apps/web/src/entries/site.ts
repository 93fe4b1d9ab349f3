/**
 * What every page has with script: the switch of the theme, the link to the account, buttons that copy, the count of views, and no token of a
 * mail in the address.
 */
import { copyText } from '../client/copy-text.ts';
import { SIGNED_IN_CHANGED, signedInRole } from '../client/signed-in.ts';

const COPIED_MS = 1_500;

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('button') : null;
  if (!button) return;
  if ('themeSwitch' in button.dataset) switchTheme();
  const { copy } = button.dataset;
  if (copy !== undefined) void copyFrom(button, copy);
});

// The token of a mail's link is in the form; in the address it would stay in the history.
if (document.querySelector('[data-token-in-address]')) history.replaceState(null, '', location.pathname);

showAccount();
addEventListener('storage', showAccount);
document.addEventListener(SIGNED_IN_CHANGED, showAccount);

/** Says in the head of the page whether somebody is signed in, and links to what the role may see, as far as this browser knows. */
function showAccount(): void {
  const role = signedInRole();
  const link = document.querySelector('[data-account]');
  if (link) link.textContent = role === undefined ? 'Sign in' : 'My account';
  for (const page of document.querySelectorAll<HTMLElement>('[data-role]')) {
    const isOwn = role === 'ADMIN' || role === page.dataset['role'];
    page.hidden = !isOwn && page.getAttribute('aria-current') === null;
  }
}

function switchTheme(): void {
  const { dataset } = document.documentElement;
  const isDark =
    dataset['theme'] === 'dark' ||
    (dataset['theme'] === undefined && matchMedia('(prefers-color-scheme: dark)').matches);
  const theme = isDark ? 'light' : 'dark';
  dataset['theme'] = theme;
  try {
    localStorage.setItem('esd-theme', theme);
  } catch {
    // The choice holds for this page alone.
  }
}

/** Copies the text of the element with this id, and says on the button that it did. */
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
  // Nobody waits for it: a view that cannot be told is not counted.
  fetch(viewTo, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: view, keepalive: true })
    .then((answer) => answer.text())
    .catch(() => undefined);
}
