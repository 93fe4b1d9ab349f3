import type { ResponseAt } from '@esd/api/operations';
import { fieldText } from '../client/form.ts';
import { call } from '../client/call.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/text-field.tsx';
import { Failure } from '../staff/failure.tsx';
import { useStaff } from '../staff/service.ts';
import { useAct } from '../staff/use-act.ts';
import { Button } from '../parts/buttons.tsx';
import { onSubmit } from '../client/events.ts';

export type Release = ResponseAt<'get', '/public/dataset/versions'>[number];

interface Props {
  /** Undefined for a new release. */
  release: Release | undefined;
  onClose: () => void;
  onStarted: (id: number) => void;
  onChanged: (identifier: string) => void;
}

export function ReleaseDialog({ release, onClose, onStarted, onChanged }: Props) {
  const { request } = useStaff();
  const { isBusy, failure, run } = useAct();
  const send = async (data: FormData): Promise<void> => {
    const text = (name: string): string => fieldText(data, name).trim();
    const described = { doi: text('doi'), license: text('license'), description: text('description') };
    if (release) {
      // null removes the value.
      const json = Object.fromEntries(
        Object.entries(described).map(([name, value]) => [name, value === '' ? null : value]),
      );
      await request(`/admin/versions/${release.id}`, { method: 'PATCH', json, isRepeatable: true });
      onChanged(release.versionIdentifier);
    } else {
      const given = Object.fromEntries(Object.entries(described).filter(([, value]) => value !== ''));
      const json = { versionIdentifier: text('identifier'), ...given };
      onStarted((await call(request, 'post', '/admin/versions', { json })).body.id);
    }
  };
  return (
    <Dialog title={release ? `Edit ${release.versionIdentifier}` : 'Freeze the current dataset?'} onClose={onClose}>
      {!release && (
        <p>You cannot delete a release or change its records. You can add a DOI, a license, and notes later.</p>
      )}
      <form class="form" onSubmit={onSubmit((data) => void run(() => send(data)))}>
        {!release && (
          <TextField
            id="release-identifier"
            name="identifier"
            label="Identifier"
            hint="For example v1.1.0 or v1.1.0-rc.1."
            required
            maxLength={60}
          />
        )}
        <TextField
          id="release-doi"
          name="doi"
          label="DOI"
          hint="For example 10.5281/zenodo.1234567."
          defaultValue={release?.doi ?? ''}
        />
        <TextField
          id="release-license"
          name="license"
          label="License"
          hint="An SPDX identifier; CC-BY-4.0 by default."
          defaultValue={release?.license ?? ''}
        />
        <div class="field">
          <label for="release-notes">Notes</label>
          <textarea id="release-notes" name="description" rows={4} defaultValue={release?.description ?? ''} />
        </div>
        <Failure error={failure.value} />
        <p class="row">
          <button class="button primary" disabled={isBusy.value}>
            {release ? 'Save the changes' : 'Freeze the release'}
          </button>
          <Button onClick={onClose}>Cancel</Button>
        </p>
      </form>
    </Dialog>
  );
}
