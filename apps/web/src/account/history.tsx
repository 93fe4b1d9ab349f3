import { useResponse } from '../client/loaded.ts';
import { countText, dateText } from '../format.ts';
import { FieldChanges } from '../parts/field-changes.tsx';
import { actionText } from '../parts/record-actions.ts';
import { Pending } from '../parts/problem.tsx';
import { requestSignedIn } from '../client/session.ts';

const BY = { owner: 'you', moderator: 'a moderator', service: 'the service' } as const;

export function History({ recordId }: { recordId: number }) {
  const history = useResponse(requestSignedIn, '/data/my-records/{recordId}/history', { recordId });
  return (
    <div class="record-part">
      <Pending of={history} />
      <ol class="history">
        {history.value.value?.map(({ at, action, revision, by, reason, changes }, index) => (
          <li key={index}>
            <time dateTime={at} title={at} class="muted">
              {dateText(at)}
            </time>{' '}
            {actionText(action)} by {BY[by]} <span class="muted">(revision {revision})</span>
            {reason !== undefined && <p class="written">“{reason}”</p>}
            {changes && (
              <details>
                <summary id={`changes-${recordId}-${index}`}>{countText(changes.length, 'field')} changed</summary>
                <FieldChanges labelledBy={`changes-${recordId}-${index}`} changes={changes} />
              </details>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
