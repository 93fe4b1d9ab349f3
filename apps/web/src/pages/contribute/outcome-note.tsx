import { account } from '../../client/session.ts';
import type { Outcome } from '../../contribute/outcome.ts';
import { countText } from '../../format.ts';
import { ScrollTable } from '../../parts/scroll-table.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';

/** The id of the note, which gets the focus after sending and checking. */
export const OUTCOME = 'outcome';

export function OutcomeNote({ outcome, base }: { outcome: Outcome; base: string }) {
  const { submissionId, isCheck, records } = outcome;
  const warnings = records.flatMap((record, at) => record.warnings.map((text) => ({ at, text })));
  if (isCheck) {
    return (
      <div
        class={`note ${warnings.length === 0 ? 'ok' : 'warn'}`}
        id={OUTCOME}
        role="group"
        aria-labelledby="outcome-title"
      >
        <p id="outcome-title">
          <b>{countText(records.length, 'experiment')} passed the check.</b> Nothing was sent.
        </p>
        {warnings.length > 0 && (
          <ul>
            {warnings.map(({ at, text }) => (
              <li key={`${at} ${text}`}>
                Experiment {at + 1}: {text} You can still send it.
              </li>
            ))}
          </ul>
        )}
      </div>
    );
  }
  return (
    <div class="note ok" id={OUTCOME} role="group" aria-labelledby="outcome-title">
      <p id="outcome-title">
        <b>
          {submissionId === undefined
            ? 'Sent.'
            : `Sent. Submission ${submissionId}, ${countText(records.length, 'record')}.`}
        </b>{' '}
        A moderator will review it, usually within a week.{' '}
        {account.value ? (
          <a href={`${base}/account`}>Your submissions</a>
        ) : (
          `Write down submission ${submissionId ?? ''}: without an account you need it to ask about it.`
        )}
      </p>
      <ScrollTable label="Sent records" heads={['Record', 'Status', 'What is missing']}>
        {records.map(({ recordId, status, missing, warnings: texts }, at) => (
          <tr key={at}>
            <th scope="row">{recordId}</th>
            <td>
              <StatusBadge status={status} />
            </td>
            <td>
              {missing.join(', ') || 'nothing'}
              {texts.map((text) => (
                <p key={text} class="small">
                  {text}
                </p>
              ))}
            </td>
          </tr>
        ))}
      </ScrollTable>
    </div>
  );
}
