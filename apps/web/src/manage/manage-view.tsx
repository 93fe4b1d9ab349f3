import { signal, useSignal } from '@preact/signals';
import type { Frame } from '@esd/pages/page';
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { moveFocus } from '../client/move-focus.ts';
import { StaffOnly } from '../staff/staff-only.tsx';
import { useStaff } from '../staff/service.ts';
import { Toast, type ToastMessage } from '../staff/toast.tsx';
import { onPlainClick } from '../client/events.ts';
import { Accounts } from './accounts.tsx';
import { Audit } from './audit.tsx';
import { Feedback } from './feedback.tsx';
import { Lists } from './lists.tsx';
import { Papers } from './papers.tsx';
import { Releases } from './releases.tsx';
import type { SectionProps } from './section.ts';
import { Services } from './services.tsx';

const SECTIONS: readonly (readonly [name: string, title: string, Section: FunctionComponent<SectionProps>])[] = [
  ['accounts', 'Accounts', Accounts],
  ['lists', 'Reference lists', Lists],
  ['papers', 'Papers', Papers],
  ['releases', 'Releases', Releases],
  ['feedback', 'Feedback', Feedback],
  ['audit', 'Audit trail', Audit],
  ['services', 'Services', Services],
];

export function ManageView({ frame: { base } }: { frame: Frame }) {
  return (
    <StaffOnly base={base} role="ADMIN" title="Manage">
      <Sections />
    </StaffOnly>
  );
}

const done = signal<ToastMessage | undefined>(undefined);

function Sections() {
  const { base } = useStaff();
  const search = useSignal(location.search);
  useEffect(() => {
    const restoreFromUrl = (): void => {
      search.value = location.search;
    };
    addEventListener('popstate', restoreFromUrl);
    return () => removeEventListener('popstate', restoreFromUrl);
  }, [search]);
  const requested = new URLSearchParams(search.value).get('section');
  const [name, , Section] = SECTIONS.find(([one]) => one === requested) ?? ['accounts', '', Accounts];
  return (
    <div class="wrap">
      <h1>Manage</h1>
      <div class="account">
        <nav aria-label="Sections">
          {SECTIONS.map(([one, title]) => (
            <a
              key={one}
              href={`${base}/manage?section=${one}`}
              aria-current={one === name ? 'page' : undefined}
              onClick={onPlainClick(() => {
                done.value = undefined;
                history.pushState(null, '', `${base}/manage?section=${one}`);
                search.value = location.search;
                moveFocus(one);
              })}
            >
              {title}
            </a>
          ))}
        </nav>
        <Section key={name} notify={(text) => (done.value = { text })} />
      </div>
      <Toast of={done} />
    </div>
  );
}
