import { TextField } from './text-field.tsx';

interface Props {
  id: string;
  name: string;
  label: string;
}

export function PasswordField(props: Props) {
  return <TextField {...props} type="password" autocomplete="current-password" required maxLength={128} />;
}

export function NewPasswordField(props: Props) {
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
