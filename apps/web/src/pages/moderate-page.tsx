import type { Frame, ModeratePage } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { ModerateView } from '../moderate/moderate-view.tsx';

/** /moderate: the queue, what is reviewed, and the decision on it. */
export function Moderate({ page, frame }: { page: ModeratePage; frame: Frame }) {
  return (
    <Document frame={frame} title="Moderate" section="moderate" isHidden live={page}>
      <ModerateView frame={frame} />
    </Document>
  );
}
