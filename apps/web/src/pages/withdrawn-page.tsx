import type { Frame, WithdrawnPage } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { dateText } from '../format.ts';

/** `/record/{id}` of a withdrawn record: the date, the reason, and the releases that contain it. */
export function WithdrawnRecord({ page: { withdrawn }, frame }: { page: WithdrawnPage; frame: Frame }) {
  const title = 'This record was withdrawn';
  return (
    <Document frame={frame} title={title} isHidden>
      <div class="wrap">
        <h1>{title}</h1>
        <p>
          Withdrawn on {dateText(withdrawn.at)}: {withdrawn.reason}
        </p>
        {withdrawn.versions.length === 0 ? (
          <p>No release contains it.</p>
        ) : (
          <p>
            {withdrawn.versions.length === 1 ? 'This release still contains' : 'These releases still contain'} it:{' '}
            {withdrawn.versions.map((version, at) => (
              <>
                {at > 0 && ', '}
                <a href={`${frame.address}?version=${encodeURIComponent(version)}`}>{version}</a>
              </>
            ))}
          </p>
        )}
      </div>
    </Document>
  );
}
