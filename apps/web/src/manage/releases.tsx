import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call } from '../client/call.ts';
import { dateText, numberText } from '../format.ts';
import { useStaff } from '../staff/service.ts';
import { useLoadedValue } from '../staff/use-loaded-value.ts';
import { Button, LinkButton } from '../parts/buttons.tsx';
import { Freeze } from './freeze.tsx';
import type { SectionProps } from './section.ts';
import { type Release, ReleaseDialog } from './release-dialog.tsx';
import { Rows } from './rows.tsx';

export function Releases({ notify }: SectionProps) {
  const { request, base } = useStaff();
  const list = useLoadedValue(
    'releases',
    async (signal) => (await call(request, 'get', '/public/dataset/versions', { signal })).body,
  );
  const open = useSignal<Release | 'new' | undefined>(undefined);
  const building = useSignal(buildingOf(location.search));
  useEffect(() => {
    const search = new URLSearchParams({ section: 'releases' });
    if (building.value !== undefined) search.set('building', String(building.value));
    // Reloading the page must show the progress again.
    history.replaceState(null, '', `?${search.toString()}`);
  }, [building.value]);
  return (
    <section aria-labelledby="releases">
      <div class="row spread">
        <h2 id="releases">Releases</h2>
        <Button onClick={() => (open.value = 'new')}>Freeze a release</Button>
      </div>
      {building.value !== undefined && (
        <Freeze
          id={building.value}
          onFrozen={(identifier) => {
            notify(`${identifier} is frozen.`);
            list.reload();
          }}
          onClose={() => (building.value = undefined)}
        />
      )}
      <Rows
        labelledBy="releases"
        heads={['Release', 'Frozen on', 'Records', 'DOI', 'License', 'Notes', 'Actions']}
        none="No releases yet."
        shown={list.value?.length}
        total={list.value?.length ?? 0}
        {...list}
      >
        {list.value?.map((release) => (
          <tr key={release.id}>
            <th scope="row">
              <a href={`${base}/release/${encodeURIComponent(release.versionIdentifier)}`}>
                {release.versionIdentifier}
              </a>
            </th>
            <td class="nowrap">{dateText(release.createdAt)}</td>
            <td class="number">{numberText(release.recordCount)}</td>
            <td>{release.doi ?? <span class="muted">none</span>}</td>
            <td>{release.license ?? <span class="muted">none</span>}</td>
            <td class="prose">{release.description}</td>
            <td>
              <LinkButton aria-label={`Edit ${release.versionIdentifier}`} onClick={() => (open.value = release)}>
                Edit
              </LinkButton>
            </td>
          </tr>
        ))}
      </Rows>
      {open.value !== undefined && (
        <ReleaseDialog
          release={open.value === 'new' ? undefined : open.value}
          onClose={() => (open.value = undefined)}
          onStarted={(id) => {
            open.value = undefined;
            building.value = id;
          }}
          onChanged={(identifier) => {
            open.value = undefined;
            notify(`${identifier} was changed.`);
            list.reload();
          }}
        />
      )}
    </section>
  );
}

function buildingOf(search: string): number | undefined {
  const id = Number(new URLSearchParams(search).get('building') ?? NaN);
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}
