import type { Frame, ModeratePage } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { ModerateView } from '../moderate/moderate-view.tsx';

export function Moderate({ page, frame }: { page: ModeratePage; frame: Frame }) {
  return (
    <Document frame={frame} title="Moderate" section="moderate" isHidden live={page}>
      <ModerateView frame={frame} />
    </Document>
  );
}
