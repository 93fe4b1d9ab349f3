import type { Frame, WithdrawnPage } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { dateText } from '../format.ts';

/** `/record/{id}` of a withdrawn record: the date, the reason, and a link to the releases that contain it. */
export function WithdrawnRecord({ page: { withdrawn }, frame }: { page: WithdrawnPage; frame: Frame }) {
  const title = 'This record was withdrawn';
  return (
    <Document frame={frame} title={title} isHidden>
      <div class="wrap">
        <h1>{title}</h1>
        <p>
          Withdrawn on {dateText(withdrawn.at)}: {withdrawn.reason}
        </p>
        <p>
          <a href={`${frame.base}/releases`}>Releases</a> from before this date still contain it.
        </p>
      </div>
    </Document>
  );
}
