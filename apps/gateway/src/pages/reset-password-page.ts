import type { HtmlPage } from './html-page.ts';

const script = `
const token = new URLSearchParams(location.search).get('token') ?? '';
// Removes the token from the address and from the history of the browser.
history.replaceState(null, '', location.pathname);
const form = document.querySelector('form');
const note = document.querySelector('#note');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const [newPassword, again] = [...form.querySelectorAll('input')].map((input) => input.value);
  if (newPassword !== again) {
    note.textContent = 'The two passwords do not match.';
    return;
  }
  form.querySelector('button').disabled = true;
  try {
    const answer = await fetch(location.pathname, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify({ token, newPassword }),
    });
    const { message, errors = [] } = await answer.json();
    note.textContent = [message, ...errors.map((error) => error.message)].join(' ');
    form.hidden = answer.ok;
  } catch {
    note.textContent = 'The service cannot be reached at the moment. Try again later.';
  }
  form.querySelector('button').disabled = false;
});
`;

/** The form behind the link in a password e-mail; it sends POST /auth/reset-password to its own path. */
export const resetPasswordPage: HtmlPage = {
  title: 'Choose a new password',
  body: `<form>
<label>New password, 10 to 128 characters
<input type="password" autocomplete="new-password" required minlength="10"></label>
<label>Repeat the new password
<input type="password" autocomplete="new-password" required></label>
<button>Set the password</button>
</form>
<p id="note" role="status"></p>
<noscript><p>This form requires JavaScript.</p></noscript>`,
  script,
};
