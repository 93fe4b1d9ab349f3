import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Failure } from '../staff/failure.tsx';
import { useStaff } from '../staff/service.ts';
import { useLoadedValue } from '../staff/use-loaded-value.ts';
import { LinkButton } from '../parts/buttons.tsx';

export function SentImage({ id }: { id: number }) {
  const isShown = useSignal(false);
  const act = isShown.value ? 'Hide the image' : 'Show the image';
  return (
    <>
      <LinkButton
        aria-expanded={isShown.value}
        aria-label={`${act} of feedback ${id}`}
        onClick={() => (isShown.value = !isShown.value)}
      >
        {act}
      </LinkButton>
      {isShown.value && <Loaded id={id} />}
    </>
  );
}

/** Loads the file into an img element only, so that a browser never opens a hostile file as a document. */
function Loaded({ id }: { id: number }) {
  const { request } = useStaff();
  const address = useSignal<string | undefined>(undefined);
  const isBroken = useSignal(false);
  const path = `/feedback/${id}/image`;
  const {
    value: file,
    error,
    reload,
  } = useLoadedValue(path, async (signal) => (await request(path, { isFile: true, signal })).body);
  useEffect(() => {
    if (!(file instanceof Blob)) return;
    const url = URL.createObjectURL(file);
    address.value = url;
    return () => URL.revokeObjectURL(url);
  }, [file, address]);
  if (error !== undefined) return <Failure error={error} again={reload} />;
  if (isBroken.value) return <p class="small">This file cannot be shown as an image.</p>;
  if (address.value === undefined) return <p class="small muted">Loading…</p>;
  return (
    <p>
      <img class="sent" src={address.value} alt={`Sent with feedback ${id}`} onError={() => (isBroken.value = true)} />
    </p>
  );
}
