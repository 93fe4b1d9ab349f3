import type { Frame, ManagePage } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { ManageView } from '../manage/manage-view.tsx';

export function Manage({ page, frame }: { page: ManagePage; frame: Frame }) {
  return (
    <Document frame={frame} title="Manage" section="manage" isHidden live={page}>
      <ManageView frame={frame} />
    </Document>
  );
}
