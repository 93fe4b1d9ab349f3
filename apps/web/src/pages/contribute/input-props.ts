import type { Contribution } from '../../contribute/contribution.ts';
import type { FormField } from '../../contribute/form-fields.ts';

export interface FieldProps {
  contribution: Contribution;
  /** The index of the experiment. */
  record: number;
  field: FormField;
  label?: string;
  hint?: string | undefined;
}

/** The props that connect an input with its label, hint, and error. */
export interface InputProps extends FieldProps {
  id: string;
  text: string;
  attributes: { 'aria-invalid': true | undefined; 'aria-describedby': string | undefined };
}

/** Returns the id of the input of a field. */
export function fieldId(record: number, path: string): string {
  return `${record}-${path}`;
}
