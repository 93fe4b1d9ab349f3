import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call } from '../client/call.ts';
import { moveFocus } from '../client/move-focus.ts';
import { requestSignedIn } from '../client/session.ts';
import { useForm } from '../client/form.ts';
import { useResponse } from '../client/loaded.ts';
import { countText } from '../format.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { CodeField, codeOf, PasswordField } from '../parts/text-field.tsx';
import { Button } from '../parts/buttons.tsx';
import { Pending } from '../parts/pending.tsx';
import { FormEnd, Section } from './section.tsx';

const SET_UP = 'set-up-two-factor';
const CODES = 'codes';

type Step =
  | { name: 'password' }
  | { name: 'code'; secret: string; otpauthUrl: string }
  | { name: 'codes'; codes: string[] };

export function TwoFactor() {
  const state = useResponse(requestSignedIn, '/auth/two-factor');
  const step = useSignal<Step | undefined>(undefined);
  const isEnding = useSignal(false);
  const { value: twoFactor } = state.value;
  const { value: now } = step;
  const cancel = (): void => {
    step.value = undefined;
    moveFocus(SET_UP);
  };
  return (
    <Section id="two-factor" title="Two-factor sign-in">
      <Pending of={state} />
      {twoFactor && !now && (
        <>
          <p>
            {twoFactor.enabled
              ? `On. ${countText(twoFactor.recoveryCodesLeft, 'recovery code')} left.`
              : 'Off. When it is on, signing in also requires a code from an app on your phone.'}
          </p>
          <p>
            {twoFactor.enabled ? (
              <Button onClick={() => (isEnding.value = true)}>Turn off two-factor sign-in</Button>
            ) : (
              <Button id={SET_UP} onClick={() => (step.value = { name: 'password' })}>
                Set up two-factor sign-in
              </Button>
            )}
          </p>
        </>
      )}
      {now?.name === 'password' && (
        <PasswordStep
          begin={async (password) => {
            const options = { json: { password }, hasPassword: true } as const;
            step.value = { name: 'code', ...(await call(requestSignedIn, 'post', '/auth/two-factor', options)).body };
          }}
          onClose={cancel}
        />
      )}
      {now?.name === 'code' && (
        <CodeStep
          secret={now.secret}
          otpauthUrl={now.otpauthUrl}
          confirm={async (otp) => {
            const options = { json: { otp }, hasPassword: true } as const;
            const { body } = await call(requestSignedIn, 'post', '/auth/two-factor/confirm', options);
            step.value = { name: 'codes', codes: body.recoveryCodes };
            moveFocus(CODES);
          }}
          onClose={cancel}
        />
      )}
      {now?.name === 'codes' && (
        <RecoveryCodes
          codes={now.codes}
          onSaved={() => {
            step.value = undefined;
            void state.reload();
          }}
        />
      )}
      {isEnding.value && (
        <ConfirmDialog
          title="Turn off two-factor sign-in?"
          confirmLabel="Turn it off"
          cancelLabel="Keep it on"
          onAct={async (text) => {
            const json = { password: text('password'), otp: codeOf(text('otp')) };
            await requestSignedIn('/auth/two-factor', { method: 'DELETE', json, hasPassword: true });
            await state.reload();
          }}
          onClose={() => (isEnding.value = false)}
        >
          <p>Signing in will then require only the password.</p>
          <PasswordField id="end-password" name="password" label="Password" />
          <CodeField id="end-otp" hint="From the app, or a recovery code." />
        </ConfirmDialog>
      )}
    </Section>
  );
}

function PasswordStep({ begin, onClose }: { begin: (password: string) => Promise<void>; onClose: () => void }) {
  const form = useForm((text) => begin(text('password')));
  return (
    <form class="form panel" onSubmit={form.onSubmit}>
      <PasswordField id="enroll-password" name="password" label="Your password" />
      <FormEnd form={form} act="Continue" onCancel={onClose} />
    </form>
  );
}

interface CodeProps {
  secret: string;
  otpauthUrl: string;
  confirm: (otp: string) => Promise<void>;
  onClose: () => void;
}

function CodeStep({ secret, otpauthUrl, confirm, onClose }: CodeProps) {
  const form = useForm((text) => confirm(codeOf(text('otp'))));
  return (
    <form class="form panel" onSubmit={form.onSubmit}>
      <p>
        Scan this QR code with an authenticator app, or type the key into the app. Then enter the code that the app
        shows.
      </p>
      <QrCode text={otpauthUrl} />
      <p>
        Key: <code class="hash">{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
      </p>
      <CodeField id="enroll-otp" />
      <FormEnd form={form} act="Turn on" onCancel={onClose} />
    </form>
  );
}

function RecoveryCodes({ codes, onSaved }: { codes: readonly string[]; onSaved: () => void }) {
  return (
    <div class="note ok" id={CODES} role="group" aria-labelledby="codes-title">
      <p id="codes-title">
        <b>Two-factor sign-in is on.</b> Store these recovery codes in a safe place: each signs you in once without the
        app. They are not shown again and cannot be recovered.
      </p>
      <pre id="recovery-codes">{codes.join('\n')}</pre>
      <p class="row">
        <Button class="primary" data-copy="recovery-codes">
          Copy codes
        </Button>
        <Button onClick={onSaved}>I have saved them</Button>
      </p>
    </div>
  );
}

/** Draws a QR code in the browser, so that its secret is not sent anywhere. */
function QrCode({ text }: { text: string }) {
  const code = useSignal<{ size: number; path: string } | undefined>(undefined);
  const isMissing = useSignal(false);
  useEffect(() => {
    const draw = async (): Promise<void> => {
      const { encode } = await import('uqr');
      const { size, data } = encode(text, { border: 4 });
      const cells = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
      code.value = { size, path: cells.join('') };
    };
    draw().catch((error: unknown) => {
      console.error(error);
      isMissing.value = true;
    });
  }, [text, code, isMissing]);
  if (!code.value) {
    return isMissing.value ? (
      <p role="status">The QR code could not be loaded. Type the key below into the app.</p>
    ) : null;
  }
  return (
    <svg class="qr" role="img" aria-label="QR code with the key" viewBox={`0 0 ${code.value.size} ${code.value.size}`}>
      <path d={code.value.path} />
    </svg>
  );
}
