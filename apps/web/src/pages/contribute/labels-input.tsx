import { moveFocus } from '../../client/move-focus.ts';
import { labelsOf } from '../../contribute/form-values.ts';
import type { InputProps } from './input-props.ts';

export function LabelsInput({
  contribution,
  record,
  field,
  id,
  text,
  attributes,
  list,
}: InputProps & { list: 'morphologies' | 'instabilities' }) {
  const chosen = labelsOf(text);
  const entries = (contribution.referenceData.value?.references.lists[list] ?? []).filter(
    ({ retired }) => retired !== true,
  );
  const groups = Map.groupBy(
    entries.filter(({ label }) => !chosen.includes(label)),
    ({ category }) => category,
  );
  const put = (labels: readonly string[]): void => {
    contribution.type(record, field.path, labels.join('; '));
    contribution.leave(record, field.path);
  };
  return (
    <div>
      {chosen.length > 0 && (
        <p class="row chips">
          {chosen.map((label) => (
            <span key={label} class="chip">
              <span>{label}</span>
              <button
                type="button"
                aria-label={`Remove ${label}`}
                onClick={() => {
                  if (chosen.length === 1) moveFocus(id);
                  put(chosen.filter((other) => other !== label));
                }}
              >
                ×
              </button>
            </span>
          ))}
        </p>
      )}
      <div class="joined">
        <select
          id={id}
          value=""
          onChange={({ currentTarget }) => {
            if (currentTarget.value !== '') put([...chosen, currentTarget.value]);
            currentTarget.value = '';
          }}
          {...attributes}
        >
          <option value="">{chosen.length === 0 ? 'not reported' : 'Add another'}</option>
          {[...groups].map(([category, labels]) => (
            <optgroup key={category} label={category}>
              {labels.map(({ label, definition }) => (
                <option key={label} value={label} title={definition}>
                  {label}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </div>
    </div>
  );
}
