import type { Contribution } from '../../contribute/contribution.ts';
import type { FormField } from '../../contribute/form-fields.ts';

export interface FieldProps {
  contribution: Contribution;
  /** The index of the experiment. */
  record: number;
  field: FormField;
  label?: string;
  hint?: string | undefined;
  isRequired?: boolean;
}

export interface InputProps extends FieldProps {
  id: string;
  text: string;
  attributes: {
    'aria-invalid': true | undefined;
    'aria-describedby': string | undefined;
    'aria-required': true | undefined;
  };
}

export function fieldId(record: number, path: string): string {
  return `${record}-${path}`;
}
