import { useEffect, useRef } from 'preact/hooks';
import { moveFocus } from '../../client/move-focus.ts';
import { descriptionOf } from '../../parts/text-field.tsx';

interface Props {
  id: string;
  label: string;
  hint?: string;
  value: string;
  error: string | undefined;
  type?: 'text' | 'email';
  autocomplete?: string;
  isRequired?: boolean;
  /** Whether it gets the focus when it appears. */
  isFirst?: boolean;
  onType: (text: string) => void;
}

export function PlainField(props: Props) {
  const { id, label, hint, value, error, type = 'text', autocomplete, isRequired, isFirst, onType } = props;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirst === true) moveFocus(input.current);
  }, [isFirst]);
  const members = {
    id,
    ref: input,
    value,
    'aria-required': isRequired,
    autocomplete: autocomplete ?? 'off',
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onType(currentTarget.value),
    ...descriptionOf(id, { hint, error }),
  };
  return (
    <div class={error === undefined ? 'field' : 'field wrong'}>
      <FieldLabel id={id} label={label} isRequired={isRequired} />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {type === 'email' ? <input type="email" {...members} /> : <input type="text" {...members} />}
      {error !== undefined && <FieldError id={id} text={error} />}
    </div>
  );
}

export function FieldLabel({ id, label, isRequired }: { id: string; label: string; isRequired?: boolean | undefined }) {
  return (
    <p class="label">
      <label for={id}>{label}</label> {isRequired === true && <Required />}
    </p>
  );
}

/** Marks a required field for people who see the page; `aria-required` tells it to screen readers. */
export function Required() {
  return (
    <span class="required" aria-hidden="true">
      required
    </span>
  );
}

export function FieldError({ id, text }: { id: string; text: string }) {
  return (
    <p class="error" id={`${id}-error`}>
      <span aria-hidden="true">✕ </span>
      {text}
    </p>
  );
}
