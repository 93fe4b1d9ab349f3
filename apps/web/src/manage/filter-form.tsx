import { fieldText } from '../client/form.ts';

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'date';
  /** What it begins with. */
  readonly value?: string;
  /** Values with their names; without them it is a field for text. */
  readonly options?: readonly (readonly [value: string, name: string])[];
}

interface Props {
  fields: readonly Field[];
  /** Gets the values by name, empty ones too. */
  onFilter: (values: Readonly<Record<string, string>>) => void;
}

/** The filters above a table. Choices act at once, texts when they are sent. */
export function FilterForm({ fields, onFilter }: Props) {
  const filter = (form: HTMLFormElement): void => {
    const data = new FormData(form);
    onFilter(Object.fromEntries(fields.map(({ name }) => [name, fieldText(data, name).trim()])));
  };
  return (
    <form
      class="row filter"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        filter(event.currentTarget);
      }}
    >
      {fields.map(({ name, label, type, options, value }) =>
        options ? (
          <select
            key={name}
            name={name}
            aria-label={label}
            onChange={({ currentTarget: { form } }) => {
              if (form) filter(form);
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
