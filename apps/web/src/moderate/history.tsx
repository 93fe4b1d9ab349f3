import { countText, dateText } from '../format.ts';
import type { Review } from './shapes.ts';

const ACTIONS: Readonly<Record<string, string>> = {
  submit: 'sent',
  update: 'changed by its owner',
  approve: 'approved',
  reject: 'declined',
  withdraw: 'withdrawn',
  restore: 'queued again after its withdrawal',
  reopen: 'queued again',
  delete_account: 'its owner deleted the account',
  erase: 'erased',
  erase_submitter: 'its sender erased',
};

/** What happened to a record so far. */
export function History({ review: { history } }: { review: Review }) {
  return (
    <details class="section">
      <summary>History: {countText(history.length, 'entry', 'entries')}</summary>
      <ul class="small">
        {history.map(({ at, action, revision, reason }) => (
          <li>
            <time dateTime={at} title={at}>
              {dateText(at)}
            </time>
            : {ACTIONS[action] ?? action} (revision {revision}){reason !== undefined && <>: “{reason}”</>}
          </li>
        ))}
      </ul>
    </details>
  );
}
