import type { FormState } from '../client/form.ts';
import { Problem } from './entrance.tsx';

interface Props {
  form: FormState;
  /** What sending does, as the button says it. */
  act: string;
  onCancel: () => void;
}

/** The end of a form that can be left: what went wrong, and the two buttons. */
export function FormEnd({ form, act, onCancel }: Props) {
  return (
    <>
      <Problem of={form.problem.value} />
      <p class="row">
        <button class="button primary" disabled={form.isBusy.value}>
          {act}
        </button>
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </>
  );
}
