import type { FeedbackPage, Frame } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { FeedbackForm } from './feedback-form.tsx';

export function Feedback({ page, frame }: { page: FeedbackPage; frame: Frame }) {
  return (
    <Document frame={frame} title="Give feedback" live={page} isHidden={page.recordId !== undefined}>
      <FeedbackForm page={page} frame={frame} />
    </Document>
  );
}
