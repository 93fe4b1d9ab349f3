import type { AccountPage, ContributePage, FeedbackPage, Frame, ManagePage, ModeratePage } from '@esd/pages/page';
import { Account } from '../account/account.tsx';
import { Document } from '../document.tsx';
import { ManageView } from '../manage/manage-view.tsx';
import { ModerateView } from '../moderate/moderate-view.tsx';
import { ContributeForms } from './contribute/contribute-forms.tsx';
import { FeedbackForm } from './feedback-form.tsx';

/** The pages that script fills. Their HTML is the same for all users. */

interface Props<Page> {
  page: Page;
  frame: Frame;
}

export function AccountDocument({ page, frame }: Props<AccountPage>) {
  return (
    <Document frame={frame} title="Your account" section="account" isHidden live={page}>
      <Account frame={frame} />
    </Document>
  );
}

export function Contribute({ page, frame }: Props<ContributePage>) {
  return (
    <Document frame={frame} title="Contribute" section="contribute" live={page}>
      <ContributeForms frame={frame} />
    </Document>
  );
}

export function Feedback({ page, frame }: Props<FeedbackPage>) {
  return (
    <Document frame={frame} title="Give feedback" live={page} isHidden={page.recordId !== undefined}>
      <FeedbackForm page={page} frame={frame} />
    </Document>
  );
}

export function Manage({ page, frame }: Props<ManagePage>) {
  return (
    <Document frame={frame} title="Manage" section="manage" isHidden live={page}>
      <ManageView frame={frame} />
    </Document>
  );
}

export function Moderate({ page, frame }: Props<ModeratePage>) {
  return (
    <Document frame={frame} title="Moderate" section="moderate" isHidden live={page}>
      <ModerateView frame={frame} />
    </Document>
  );
}
