import { countText, dateText } from '../format.ts';
import { actionText } from '../parts/record-actions.ts';
import type { Review } from './shapes.ts';

export function History({ review: { history } }: { review: Review }) {
  return (
    <details class="section">
      <summary>History: {countText(history.length, 'entry', 'entries')}</summary>
      <ul class="small">
        {history.map(({ at, action, revision, reason }) => (
          <li key={at}>
            <time dateTime={at} title={at}>
              {dateText(at)}
            </time>
            : {actionText(action)} (revision {revision}){reason !== undefined && <>: “{reason}”</>}
          </li>
        ))}
      </ul>
    </details>
  );
}
