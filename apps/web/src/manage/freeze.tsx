import type { ResponseAt } from '@esd/api/operations';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call } from '../client/call.ts';
import { countText } from '../format.ts';
import { Failure } from '../staff/failure.tsx';
import { useStaff } from '../staff/service.ts';
import { LinkButton } from '../parts/buttons.tsx';

type State = ResponseAt<'get', '/admin/versions/{id}'>;

const POLL_MS = 1_000;

interface Props {
  id: number;
  onFrozen: (identifier: string) => void;
  onClose: () => void;
}

export function Freeze({ id, onFrozen, onClose }: Props) {
  const { request } = useStaff();
  const progress = useSignal<State | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poll = async (): Promise<void> => {
      try {
        const options = { parameters: { id }, signal: stop.signal };
        progress.value = (await call(request, 'get', '/admin/versions/{id}', options)).body;
        failure.value = undefined;
        if (progress.value.state === 'BUILDING') timer = setTimeout(() => void poll(), POLL_MS);
        if (progress.value.state === 'FROZEN') onFrozen(progress.value.versionIdentifier);
      } catch (error) {
        if (!stop.signal.aborted) failure.value = error;
      }
    };
    void poll();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
    // oxlint-disable-next-line react/exhaustive-deps -- `onFrozen` is a new function at each render
  }, [id, request, progress, failure]);
  const now = progress.value;
  return (
    <div class={`note ${now?.state === 'FROZEN' ? 'ok' : now?.state === 'FAILED' ? 'bad' : ''}`}>
      <Failure error={failure.value} />
      <p role="status">{now === undefined ? 'Loading the progress…' : textOf(now)}</p>
      {now?.state === 'BUILDING' && <Progress of={now} />}
      {now?.state === 'FAILED' && (
        <p class="small">Nothing from the failed attempt is public. You can freeze again with the same identifier.</p>
      )}
      {now !== undefined && now.state !== 'BUILDING' && <LinkButton onClick={onClose}>Close</LinkButton>}
    </div>
  );
}

function Progress({ of: { filesDone = 0, filesTotal = 0 } }: { of: State }) {
  return (
    <p class="small">
      <progress aria-label="Stored files" value={filesDone} max={Math.max(1, filesTotal)} /> {filesDone} of {filesTotal}{' '}
      files are stored.
    </p>
  );
}

function textOf({ versionIdentifier, state: name, recordCount, reason = '' }: State): string {
  const records = countText(recordCount, 'record');
  switch (name) {
    case 'BUILDING':
      return `${versionIdentifier} is being frozen with ${records}. It is listed when all of its files are stored.`;
    case 'FROZEN':
      return `${versionIdentifier} is frozen with ${records}.`;
    case 'FAILED':
      return `${versionIdentifier} could not be frozen: ${reason}`;
  }
}
