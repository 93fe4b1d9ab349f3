import type { Frame, WithdrawnPage } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { dateText } from '../format.ts';

/** /record/{id} of a record that is public no longer: when and why, and where it still is. */
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
          <a href={`${frame.base}/releases`}>Releases</a> before that still hold it.
        </p>
      </div>
    </Document>
  );
}
