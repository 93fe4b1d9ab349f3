interface Props {
  /** The id of the input. Must be unique on the page. */
  id: string;
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  autocomplete?: string;
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  defaultValue?: string | undefined;
  hint?: string | undefined;
}

export function TextField({ id, label, type = 'text', hint, ...rest }: Props) {
  const input = { ...rest, id, ...descriptionOf(id, { hint }) };
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
    </p>
  );
}

interface Described {
  hint?: unknown;
  error?: unknown;
  warning?: unknown;
}

/** Returns the ARIA attributes that link an input to its hint, error, and warning. */
export function descriptionOf(id: string, { hint, error, warning }: Described) {
  const ids = Object.entries({ hint, error, warning }).flatMap(([name, of]) =>
    of === undefined ? [] : `${id}-${name}`,
  );
  return {
    'aria-describedby': ids.length > 0 ? ids.join(' ') : undefined,
    'aria-invalid': error === undefined ? undefined : (true as const),
  };
}

type OwnProps = Pick<Props, 'id' | 'hint' | 'defaultValue'>;

/** The email address of an account, which browsers fill in. */
export function EmailField(props: OwnProps) {
  return (
    <TextField {...props} name="email" label="Email" type="email" autocomplete="username" required maxLength={254} />
  );
}

/** A code of an authenticator app, or a recovery code. */
export function CodeField(props: OwnProps) {
  return <TextField {...props} name="otp" label="Code" autocomplete="one-time-code" required maxLength={40} />;
}

/** Removes the spaces from a code, which authenticator apps show in groups. */
export function codeOf(text: string): string {
  return text.replaceAll(/\s/g, '');
}

type NamedProps = Pick<Props, 'id' | 'name' | 'label'>;

export function PasswordField(props: NamedProps) {
  return <TextField {...props} type="password" autocomplete="current-password" required maxLength={128} />;
}

export function NewPasswordField(props: NamedProps) {
  return (
    <TextField
      {...props}
      type="password"
      hint="10 to 128 characters. Several unrelated words work best."
      autocomplete="new-password"
      required
      minLength={10}
      maxLength={128}
    />
  );
}
