import { needleGauges } from '@esd/record/units/needle-gauges';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { FormField } from '../../contribute/form-fields.ts';
import { labelsOf, numberOf, unitOf } from '../../contribute/form-values.ts';
import { unitsOf } from '../../contribute/problem-text.ts';
import { LinkButton } from '../../parts/buttons.tsx';
import { descriptionOf } from '../../parts/text-field.tsx';
import { moveFocus } from '../../client/move-focus.ts';
import { fieldId, type FieldProps, type InputProps } from './input-props.ts';
import { NameInput } from './name-input.tsx';
import { FieldError, FieldLabel } from './plain-field.tsx';

export function ExperimentField(props: FieldProps) {
  const { contribution, record, field, label = field.label, hint = field.hint, isRequired } = props;
  const id = fieldId(record, field.path);
  const { errors, warnings } = contribution.shown(record, field.path);
  const [error] = errors;
  const [warning] = warnings;
  const values = contribution.experiments.value[record]?.values ?? {};
  const input: InputProps = {
    ...props,
    id,
    text: values[field.path] ?? '',
    attributes: { ...descriptionOf(id, { hint, error, warning }), 'aria-required': isRequired === true || undefined },
  };
  const isChoice = field.field.kind === 'boolean';
  const note = gaugeNote(field, values);
  const readings = error && isNumber(field) ? contribution.readingsOf(record, field) : [];
  return (
    <div class={error === undefined ? 'field' : 'field wrong'}>
      {isChoice ? (
        <span class="label" id={`${id}-label`}>
          {label}
        </span>
      ) : (
        <FieldLabel id={id} label={label} isRequired={isRequired} />
      )}
      {hint !== undefined && !isChoice && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <FieldInput {...input} />
      {hint !== undefined && isChoice && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {note !== undefined && <p class="hint">{note}</p>}
      {error !== undefined && <FieldError id={id} text={error.text} />}
      {readings.length > 0 && (
        <p class="row small">
          {readings.map((reading) => (
            <LinkButton
              key={reading.reads}
              onClick={() => {
                contribution.fill(record, reading.values);
                moveFocus(id);
              }}
            >
              {reading.reads}
            </LinkButton>
          ))}
        </p>
      )}
      {warning !== undefined && (
        <p class="warning" id={`${id}-warning`}>
          <b aria-hidden="true">! </b>
          {warning.text} Check the value; you can still send it.
        </p>
      )}
    </div>
  );
}

function FieldInput(props: InputProps) {
  switch (props.field.field.kind) {
    case 'name':
      return <NameInput {...props} list={props.field.field.list} />;
    case 'boolean':
      return <YesNoInput {...props} />;
    case 'labels':
      return <LabelsInput {...props} list={props.field.field.list} />;
    default:
      return <TextInput {...props} />;
  }
}

const isNumber = ({ field, dimensions }: FormField): boolean => dimensions !== undefined || field.kind === 'number';

function TextInput({ contribution, record, field, id, text, attributes }: InputProps) {
  const values = contribution.experiments.value[record]?.values ?? {};
  const readFrom = useSignal<{ written: string; reads: string } | undefined>(undefined);
  const settle = async (): Promise<void> => {
    contribution.leave(record, field.path);
    if (!isNumber(field) || text === '' || numberOf(text) !== undefined) return;
    await contribution.loadReader();
    const [reading, other] = contribution.readingsOf(record, field);
    if (reading === undefined || other !== undefined) return;
    contribution.fill(record, reading.values);
    readFrom.value = { written: text.trim(), reads: reading.reads };
  };
  const proposed = field.proposed && contribution.referenceData.value?.counts[field.proposed];
  return (
    <>
      <div class="joined">
        <input
          id={id}
          value={text}
          autocomplete="off"
          inputMode={isNumber(field) ? 'decimal' : 'text'}
          placeholder={
            field.path === 'fiberProperty.fiberDiameter' && values['fiberProperty.isFormationStable'] === 'no'
              ? 'none formed'
              : undefined
          }
          list={proposed ? `${id}-proposed` : undefined}
          onInput={({ currentTarget }) => {
            readFrom.value = undefined;
            contribution.type(record, field.path, currentTarget.value);
          }}
          onBlur={() => void settle()}
          {...attributes}
        />
        {field.dimensions !== undefined && (
          <UnitSelect contribution={contribution} record={record} field={field} dimensions={field.dimensions} />
        )}
        {proposed && (
          <datalist id={`${id}-proposed`}>
            {[...proposed.keys()].map((value) => (
              <option key={value}>{value}</option>
            ))}
          </datalist>
        )}
      </div>
      {readFrom.value && (
        <p class="small muted" role="status">
          “{readFrom.value.written}” is read as {readFrom.value.reads}.
        </p>
      )}
    </>
  );
}

/** The value of the option for a unit that is not chosen yet. */
const OPEN = '?';

function UnitSelect({
  contribution,
  record,
  field,
  dimensions,
}: Pick<FieldProps, 'contribution' | 'record' | 'field'> & { dimensions: readonly string[] }): ComponentChildren {
  const values = contribution.experiments.value[record]?.values ?? {};
  const chosen = unitOf(field, values);
  const referenceData = contribution.referenceData.value;
  const offered = referenceData === undefined ? [] : unitsOf(dimensions, referenceData.references);
  const units = chosen === undefined || offered.includes(chosen) ? offered : [chosen, ...offered];
  return (
    <select
      aria-label={`${field.label}, unit`}
      value={chosen ?? values[field.unitPath] ?? OPEN}
      onChange={({ currentTarget }) => contribution.type(record, field.unitPath, currentTarget.value)}
      onBlur={() => contribution.leave(record, field.path)}
    >
      {chosen === undefined && values[field.unitPath] === undefined && <option value={OPEN}>unit</option>}
      {values[field.unitPath] === '' && <option value="">not stated</option>}
      {units.map((unit) => (
        <option key={unit} value={unit}>
          {unit}
        </option>
      ))}
    </select>
  );
}

function YesNoInput({ contribution, record, field, id, text, attributes }: InputProps) {
  const choices = [
    ['yes', 'Yes'],
    ['no', 'No'],
    ['', field.path === 'fiberProperty.isFormationStable' ? 'Not observed' : 'Not stated'],
  ] as const;
  return (
    <div
      class="bar"
      role="radiogroup"
      aria-labelledby={`${id}-label`}
      aria-describedby={attributes['aria-describedby']}
    >
      {choices.map(([value, label], at) => (
        <label key={value} class="check">
          <input
            type="radio"
            id={at === 0 ? id : undefined}
            name={id}
            value={value}
            checked={text === value}
            onChange={() => contribution.type(record, field.path, value)}
          />
          {label}
        </label>
      ))}
    </div>
  );
}

/** Returns a note such as "22 G = 0.413 mm inner diameter" for a gauge. */
function gaugeNote(field: FormField, values: Readonly<Record<string, string>>): string | undefined {
  if (field.path !== 'needleProperty.needleDefinition.size' || unitOf(field, values) !== 'G') return undefined;
  const gauge = numberOf(values[field.path] ?? '');
  const needle = needleGauges.find((candidate) => candidate.gauge === gauge);
  return needle && `${needle.gauge} G = ${needle.innerDiameterMm} mm inner diameter`;
}

function LabelsInput({
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
