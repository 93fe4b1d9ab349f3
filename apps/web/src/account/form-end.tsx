import type { FormState } from '../client/form.ts';
import { Button } from '../parts/buttons.tsx';
import { Problem } from '../parts/problem.tsx';

interface Props {
  form: FormState;
  /** The label of the submit button. */
  act: string;
  onCancel: () => void;
}

export function FormEnd({ form, act, onCancel }: Props) {
  return (
    <>
      <Problem of={form.problem.value} />
      <p class="row">
        <button class="button primary" disabled={form.isBusy.value}>
          {act}
        </button>
        <Button onClick={onCancel}>Cancel</Button>
      </p>
    </>
  );
}
