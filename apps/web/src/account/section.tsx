import type { ComponentChildren } from 'preact';
import type { FormState } from '../client/form.ts';
import { Button } from '../parts/buttons.tsx';
import { Problem } from '../parts/problem.tsx';

interface Props {
  id: string;
  title: string;
  /** Buttons next to the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export function Section({ id, title, actions, children }: Props) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <div class="title">
        <h2 id={`${id}-title`}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

interface FormEndProps {
  form: FormState;
  /** The label of the submit button. */
  act: string;
  onCancel: () => void;
}

export function FormEnd({ form, act, onCancel }: FormEndProps) {
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
