import { TextField } from './text-field.tsx';

interface Props {
  id: string;
  name: string;
  label: string;
}

/** A field for the password of the account. */
export function PasswordField(props: Props) {
  return <TextField {...props} type="password" autocomplete="current-password" required maxLength={128} />;
}

/** A field in which a new password is chosen. */
export function NewPasswordField(props: Props) {
  return (
    <TextField
      {...props}
      type="password"
      hint="10 to 128 characters; a few words that do not belong together are best."
      autocomplete="new-password"
      required
      minLength={10}
      maxLength={128}
    />
  );
}
