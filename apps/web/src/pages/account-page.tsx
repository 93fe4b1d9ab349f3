import type { AccountPage as Page, Frame } from '@esd/pages/page';
import { Account } from '../account/account.tsx';
import { Document } from '../document.tsx';

/** `/account`. The HTML is the same for all users; script fills it. */
export function AccountPage({ page, frame }: { page: Page; frame: Frame }) {
  return (
    <Document frame={frame} title="Your account" section="account" isHidden live={page}>
      <Account frame={frame} />
    </Document>
  );
}
