import type { HtmlPage } from './html-page.ts';

const script = `
const token = new URLSearchParams(location.search).get('token') ?? '';
// Removes the token from the address and from the history of the browser.
history.replaceState(null, '', location.pathname);
const button = document.querySelector('button');
const note = document.querySelector('#note');
button.addEventListener('click', async () => {
  button.disabled = true;
  try {
    const answer = await fetch(location.pathname, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify({ token }),
    });
    note.textContent = (await answer.json()).message;
    button.hidden = answer.ok;
  } catch {
    note.textContent = 'The service cannot be reached at the moment. Try again later.';
  }
  button.disabled = false;
});
`;

/** The button behind the link in a verification e-mail; it sends POST /auth/verify-email to its own path. */
export const verifyEmailPage: HtmlPage = {
  title: 'Confirm your e-mail address',
  body: `<button>Confirm</button>
<p id="note" role="status"></p>
<noscript><p>This page requires JavaScript.</p></noscript>`,
  script,
};
