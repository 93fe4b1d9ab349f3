interface Props {
  /** Of the input, once on a page. */
  id: string;
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  /** What a password manager fills in. */
  autocomplete?: string;
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  defaultValue?: string | undefined;
  hint?: string | undefined;
  error?: string | undefined;
}

/** A field for a line of text, with its hint and what is wrong with it. */
export function TextField({ id, label, type = 'text', hint, error, ...rest }: Props) {
  const describedBy = [...(hint === undefined ? [] : [`${id}-hint`]), ...(error === undefined ? [] : [`${id}-error`])];
  const input = {
    ...rest,
    id,
    'aria-describedby': describedBy.length > 0 ? describedBy.join(' ') : undefined,
    'aria-invalid': error === undefined ? undefined : true,
  };
  return (
    <p class="field">
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {type === 'text' && <input type="text" {...input} />}
      {type === 'email' && <input type="email" {...input} />}
      {type === 'password' && <input type="password" {...input} />}
      {error !== undefined && (
        <span class="error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </p>
  );
}
