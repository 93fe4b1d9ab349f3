import type { Frame, MailLinkPage } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { NewPasswordField } from '../parts/text-field.tsx';

const TEXTS = {
  'verify-email': {
    title: 'Confirm your email address',
    act: 'Confirm address',
    done: 'Your email address is confirmed.',
  },
  'reset-password': {
    title: 'Choose a new password',
    act: 'Set password',
    done: 'Your password is set. All sessions have ended, and all tokens are revoked.',
  },
} as const;

/** The page that an email link opens. It works without script. With script, the token is removed from the URL (`entries/site.ts`). */
export function MailLink({ page, frame }: { page: MailLinkPage; frame: Frame }) {
  const { purpose, token, problem, isAlreadyVerified } = page;
  const { base } = frame;
  const { title, act, done } = TEXTS[purpose];
  return (
    <Document frame={frame} title={title} isHidden>
      <div class="wrap">
        <h1>{title}</h1>
        {problem !== undefined && (
          <p class="note bad" role="alert">
            {problem}
          </p>
        )}
        {token === undefined && problem === undefined && (
          <p class="note ok" role="status">
            {isAlreadyVerified ? 'Your email address is already confirmed.' : done}{' '}
            <a href={`${base}/account`}>Sign in</a>
          </p>
        )}
        {token === undefined && problem !== undefined && (
          <p>
            <a href={`${base}/account${purpose === 'reset-password' ? '?show=forgot' : ''}`}>Request a new email</a>
          </p>
        )}
        {token !== undefined && (
          <form class="form" method="post" action={`${base}/auth/${purpose}`} data-token-in-address>
            <input type="hidden" name="token" value={token} />
            {purpose === 'reset-password' && (
              <NewPasswordField id="new-password" name="newPassword" label="New password" />
            )}
            <p>
              <button class="button primary">{act}</button>
            </p>
          </form>
        )}
      </div>
    </Document>
  );
}
