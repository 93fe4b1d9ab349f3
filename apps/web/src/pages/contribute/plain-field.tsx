import { useEffect, useRef } from 'preact/hooks';
import { descriptionOf } from '../../parts/text-field.tsx';

interface Props {
  id: string;
  label: string;
  hint?: string;
  value: string;
  error: string | undefined;
  type?: 'text' | 'email';
  autocomplete?: string;
  /** Whether it gets the focus when it appears. */
  isFirst?: boolean;
  onType: (text: string) => void;
}

export function PlainField({ id, label, hint, value, error, type = 'text', autocomplete, isFirst, onType }: Props) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirst === true) input.current?.focus();
  }, [isFirst]);
  const members = {
    id,
    ref: input,
    value,
    autocomplete: autocomplete ?? 'off',
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onType(currentTarget.value),
    ...descriptionOf(id, { hint, error }),
  };
  return (
    <div class={error === undefined ? 'field' : 'field wrong'}>
      <label for={id}>{label}</label>
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

export function FieldError({ id, text }: { id: string; text: string }) {
  return (
    <p class="error" id={`${id}-error`}>
      <span aria-hidden="true">✕ </span>
      {text}
    </p>
  );
}
