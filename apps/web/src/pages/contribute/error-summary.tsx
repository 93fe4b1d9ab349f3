import { moveFocus } from '../../client/move-focus.ts';
import type { Contribution } from '../../contribute/contribution.ts';
import type { Finding } from '../../contribute/check-experiment.ts';
import { IMAGES } from '../../contribute/form-fields.ts';
import { countText } from '../../format.ts';
import { fieldId } from './input-props.ts';

/** The id of the summary, which gets the focus after an attempt to send. */
export const ERRORS = 'errors';

export function ErrorSummary({ contribution }: { contribution: Contribution }) {
  const { experiments, showsAll } = contribution;
  const errors = showsAll.value ? contribution.errorsOfForm() : [];
  if (errors.length === 0) return null;
  return (
    <div class="note bad" id={ERRORS} role="group" aria-labelledby="errors-title">
      <p id="errors-title">
        <b>{countText(errors.length, 'error')} to fix before you can send</b>
      </p>
      <ul>
        {errors.map(({ record, finding }, at) => (
          <li key={at}>
            <a
              href={`#${record === undefined ? finding.path : fieldId(record, finding.path)}`}
              onClick={(event) => {
                event.preventDefault();
                go(contribution, record, finding);
              }}
            >
              {record !== undefined && experiments.value.length > 1 ? `Experiment ${record + 1}, ` : ''}
              {finding.label === '' ? '' : `${finding.label}: `}
              {finding.text}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function go({ current }: Contribution, record: number | undefined, { path }: Finding): void {
  if (record !== undefined) current.value = record;
  moveFocus(record === undefined ? path : path.startsWith(IMAGES) ? `${record}-images` : fieldId(record, path));
}
