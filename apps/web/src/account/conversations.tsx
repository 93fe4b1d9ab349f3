import type { ResponseAt } from '@esd/api/operations';
import { useSignal } from '@preact/signals';
import { useResponse } from '../client/loaded.ts';
import { countText } from '../format.ts';
import { LinkButton } from '../parts/buttons.tsx';
import { Pending } from '../parts/pending.tsx';
import { requestSignedIn } from '../client/session.ts';
import { OwnRecordLine } from './own-record-line.tsx';
import { Section } from './section.tsx';

const STEP = 5;

export type UnreadThread = ResponseAt<'get', '/data/unread'>['records'][number];

interface Props {
  base: string;
  id: string;
  title: string;
  threads: readonly Pick<UnreadThread, 'recordId' | 'messages' | 'needsAnswer'>[];
}

/** A section of records with their threads, of which the first ones are shown. */
export function Conversations({ base, id, title, threads }: Props) {
  const shown = useSignal(STEP);
  const left = threads.length - shown.value;
  return (
    <Section id={id} title={title}>
      <ul class="records">
        {threads.slice(0, shown.value).map((thread) => (
          <Conversation key={thread.recordId} base={base} {...thread} />
        ))}
      </ul>
      {left > 0 && (
        <LinkButton onClick={() => (shown.value += STEP)}>
          Show {countText(Math.min(STEP, left), 'more record', 'more records')}
        </LinkButton>
      )}
    </Section>
  );
}

function Conversation({ base, recordId, messages, needsAnswer }: { base: string } & Props['threads'][number]) {
  const loaded = useResponse(requestSignedIn, '/data/experiment/{recordId}', { recordId });
  const [record] = loaded.value.value?.experimentData ?? [];
  if (!record) {
    return (
      <li>
        <Pending of={loaded} />
      </li>
    );
  }
  return <OwnRecordLine base={base} record={record} unread={messages} needsAnswer={needsAnswer} isOpen />;
}
