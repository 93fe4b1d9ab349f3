import type { PeoplePage } from './people-page.ts';

const script = `
const token = new URLSearchParams(location.search).get('token') ?? '';
// Nobody who looks at the address later finds the token.
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
    note.textContent = 'The service cannot be reached at the moment; try again.';
  }
  button.disabled = false;
});
`;

/** The button behind the link of a verification mail; it sends what POST /auth/verify-email takes, to its own path. */
export const verifyEmailPage: PeoplePage = {
  title: 'Confirm your e-mail address',
  body: `<button>Confirm</button>
<p id="note" role="status"></p>
<noscript><p>This page needs JavaScript.</p></noscript>`,
  script,
};
