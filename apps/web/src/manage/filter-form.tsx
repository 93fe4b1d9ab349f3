import { fieldText } from '../client/form.ts';
import { onSubmit } from '../client/events.ts';

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'date';
  /** The initial value. */
  readonly value?: string;
  /** Values with their names; without options, the filter is a text field. */
  readonly options?: readonly (readonly [value: string, name: string])[];
}

interface Props {
  fields: readonly Field[];
  /** Receives the values by name, including empty ones. */
  onFilter: (values: Readonly<Record<string, string>>) => void;
}

/** Shows the filters of a table. Choices apply immediately, texts on submit. */
export function FilterForm({ fields, onFilter }: Props) {
  const filter = (data: FormData): void =>
    onFilter(Object.fromEntries(fields.map(({ name }) => [name, fieldText(data, name).trim()])));
  return (
    <form class="row filter" role="search" onSubmit={onSubmit(filter)}>
      {fields.map(({ name, label, type, options, value }) =>
        options ? (
          <select
            key={name}
            name={name}
            aria-label={label}
            onChange={({ currentTarget: { form } }) => {
              if (form) filter(new FormData(form));
            }}
          >
            <option value="">{label}: all</option>
            {options.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        ) : type ? (
          <label key={name} class="small">
            {label} <input name={name} type={type} />
          </label>
        ) : (
          <input key={name} name={name} aria-label={label} placeholder={label} maxLength={320} defaultValue={value} />
        ),
      )}
      <button class="button">Filter</button>
    </form>
  );
}
