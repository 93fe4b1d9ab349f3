import type { ContributePage, Frame } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { ContributeForms } from './contribute/contribute-forms.tsx';

export function Contribute({ page, frame }: { page: ContributePage; frame: Frame }) {
  return (
    <Document frame={frame} title="Contribute" section="contribute" live={page}>
      <ContributeForms page={page} frame={frame} />
    </Document>
  );
}
