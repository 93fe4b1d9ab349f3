import type { Frame } from '@esd/pages/page';
import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { moveFocus } from '../../client/move-focus.ts';
import { problemText } from '../../client/form.ts';
import { account, requestSignedIn, startSession } from '../../client/session.ts';
import { Contribution } from '../../contribute/contribution.ts';
import { followRanges, loadCounts, loadReferences } from '../../contribute/load-reference-data.ts';
import { countText, dateText, timeText } from '../../format.ts';
import { SignInDialog } from '../../parts/sign-in-dialog.tsx';
import { Button, LinkButton } from '../../parts/buttons.tsx';
import { FormMode, tabId } from './form-mode.tsx';
import { PaperFields } from './paper-fields.tsx';

export function ContributeForms({ frame: { base } }: { frame: Frame }) {
  const contribution = useMemo(() => new Contribution(base), [base]);
  const failure = useSignal<string | undefined>(undefined);
  const starts = useSignal(0);
  useEffect(() => {
    const end = new AbortController();
    start(contribution, base, end.signal).then(
      () => (failure.value = undefined),
      (error: unknown) => {
        if (!end.signal.aborted) failure.value = problemText(error);
      },
    );
    return () => end.abort();
  }, [contribution, base, failure, starts.value]);
  useEffect(() => {
    const end = new AbortController();
    addEventListener(
      'beforeunload',
      (event) => {
        if (!contribution.hasChanges()) return;
        void contribution.saveNow();
        event.preventDefault();
      },
      { signal: end.signal },
    );
    return () => end.abort();
  }, [contribution]);
  // Without a response, the page does not know whether the user is signed in, so it shows no form for an anonymous sender.
  const isUnknown = failure.value !== undefined && account.value === undefined;
  const { own, problem, elsewhere } = contribution;
  return (
    <div class="wrap contribute">
      <h1>{own.value ? `Edit record ${own.value.recordId}` : 'Contribute experiments'}</h1>
      <p class="lede">
        Enter experiments one by one, or send a sheet. A moderator reviews every record before it is published, usually
        within a week.
      </p>
      <WithoutScript base={base} />
      <div class="needs-script">
        {failure.value !== undefined && (
          <p class="note bad" role="alert">
            {failure.value} {isUnknown && <LinkButton onClick={() => (starts.value += 1)}>Try again</LinkButton>}
          </p>
        )}
        <SignedOutNote />
        {isUnknown ? null : elsewhere.value === undefined ? (
          <Forms contribution={contribution} base={base} />
        ) : (
          <OpenElsewhere contribution={contribution} since={elsewhere.value} />
        )}
        {problem.value !== undefined && (
          <p class="note bad" role="alert">
            {problem.value}
          </p>
        )}
        <SignInDialog base={base} />
      </div>
    </div>
  );
}

/** Reports that the session ended in another tab, because the form then sends the records without an account. */
function SignedOutNote() {
  const wasSignedIn = useSignal(false);
  useSignalEffect(() => {
    if (account.value) wasSignedIn.value = true;
  });
  if (!wasSignedIn.value || account.value !== null) return null;
  return (
    <p class="note warn" role="alert">
      You signed out in another tab. Your input is preserved.{' '}
      <LinkButton onClick={() => void requestSignedIn('/auth/me').catch(() => undefined)}>Sign in</LinkButton> to send
      it with your account, or send it without an account.
    </p>
  );
}

function Forms({ contribution, base }: { contribution: Contribution; base: string }) {
  const { mode, own, restoredFrom, others } = contribution;
  const choose = (chosen: 'form' | 'sheet') => () => {
    mode.value = chosen;
    moveFocus(chosen === 'sheet' ? 'sheet' : tabId(contribution.current.value));
    contribution.save();
  };
  return (
    <>
      {restoredFrom.value !== undefined && (
        <p class="note row" role="status">
          <span>Your draft from {timeOrDateText(restoredFrom.value)} is restored.</span>
          <LinkButton onClick={() => (restoredFrom.value = undefined)}>Continue</LinkButton>
          <LinkButton onClick={() => void contribution.startOver()}>Start over</LinkButton>
        </p>
      )}
      <div class="bar">
        {!own.value && (
          <span class="switch" role="group" aria-label="Input mode">
            <button type="button" aria-pressed={mode.value === 'form'} onClick={choose('form')}>
              Form
            </button>
            <button type="button" aria-pressed={mode.value === 'sheet'} onClick={choose('sheet')}>
              Sheet
            </button>
          </span>
        )}
        <PaperFields contribution={contribution} />
      </div>
      {mode.value === 'form' ? (
        <FormMode contribution={contribution} base={base} />
      ) : (
        <LazySheetMode contribution={contribution} base={base} />
      )}
      <p class="small muted" role="status">
        {draftText(contribution)}
        {account.value === null && ' You are not signed in, so you cannot track or edit this submission later.'}
      </p>
      {others.value > 0 && (
        <p class="small muted">
          {countText(others.value, 'more draft')} {others.value === 1 ? 'is' : 'are'} saved on this device:{' '}
          <a href={location.href} target="_blank" rel="noopener">
            open the next one in a new tab
          </a>
          .
        </p>
      )}
    </>
  );
}

/** Loads the reader of sheets and shows the sheet mode. */
function LazySheetMode({ contribution, base }: { contribution: Contribution; base: string }) {
  const loaded = useSignal<ComponentType<{ contribution: Contribution; base: string }> | undefined>(undefined);
  const failed = useSignal(false);
  useEffect(() => {
    import('./sheet-mode.tsx').then(
      ({ SheetMode }) => (loaded.value = SheetMode),
      () => (failed.value = true),
    );
  }, [loaded, failed]);
  if (failed.value) {
    return (
      <p class="note bad" role="alert">
        The reader of sheets could not be loaded. Reload the page; your draft is stored.
      </p>
    );
  }
  const { value: SheetMode } = loaded;
  return SheetMode ? <SheetMode contribution={contribution} base={base} /> : <p role="status">Loading…</p>;
}

/** Shows that another tab has the draft open. */
function OpenElsewhere({ contribution, since }: { contribution: Contribution; since: string }) {
  const { isBusy, own } = contribution;
  return (
    <div class="note" role="status">
      <p>
        Your draft from {timeOrDateText(since)} is open in another tab. Continue it here with everything you typed
        there, or start another draft.
      </p>
      <p class="row">
        <Button class="primary" disabled={isBusy.value} onClick={() => void contribution.takeOver()}>
          Continue here
        </Button>
        <Button disabled={isBusy.value} onClick={() => void contribution.startAnother()}>
          {own.value ? 'Start from the record' : 'Start another draft'}
        </Button>
      </p>
    </div>
  );
}

async function start(contribution: Contribution, base: string, signal: AbortSignal): Promise<void> {
  const record = new URLSearchParams(location.search).get('record');
  const isRecord = record !== null && /^[1-9]\d{0,14}$/.test(record);
  await Promise.all([
    startSession(base).then(() => contribution.open(isRecord ? Number(record) : undefined)),
    loadReferences(base, signal).then((referenceData) => (contribution.referenceData.value = referenceData)),
  ]);
  const counts = await loadCounts(base, signal).catch(() => undefined);
  const { value } = contribution.referenceData;
  if (value && counts) contribution.referenceData.value = { ...value, counts };
  followRanges(contribution, base, signal);
}

function draftText({ savedAt }: Contribution): string {
  if (savedAt.value === null) return 'This browser cannot store drafts. Send your input before you leave.';
  return savedAt.value === undefined ? '' : `Draft saved on this device, ${timeOrDateText(savedAt.value)}.`;
}

function timeOrDateText(iso: string): string {
  const date = new Date(iso);
  if (date.toDateString() !== new Date().toDateString()) return dateText(iso);
  return timeText(date);
}

function WithoutScript({ base }: { base: string }) {
  return (
    <div class="without-script note">
      <p>This form requires JavaScript. Without it, you can:</p>
      <ul>
        <li>
          fill in the <a href={`${base}/data/template.xlsx`}>template</a> and upload it later in a browser with
          JavaScript
        </li>
        <li>
          send the records to the API (see the <a href={`${base}/docs`}>documentation of POST /data/submit</a>)
        </li>
      </ul>
    </div>
  );
}
