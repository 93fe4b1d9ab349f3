import type { RefObject } from 'preact';
import { moveFocus } from '../client/move-focus.ts';

const MAX_REASON = 2_000;
const MAX_PUBLIC_REASON = 500;

const TEMPLATES: readonly (readonly [name: string, text: string])[] = [
  [
    'Differs from the paper',
    'The paper gives a different value for … Compare your value with the paper, correct it, and send the record again.',
  ],
  ['Duplicate record', 'The dataset already contains this experiment, as record …'],
  ['Unit missing or wrong', 'The unit of … is missing or wrong. Correct it and send the record again.'],
  ['DOI leads to another paper', 'The DOI leads to another paper. Correct it and send the record again.'],
  [
    'Source missing',
    'The record names no source, so its values cannot be checked. Add the DOI or the title of the paper.',
  ],
  ['Not an experiment', 'This is not an electrospinning experiment.'],
];

interface Props {
  id: string;
  value: string;
  hint: string;
  /** Whether the reason is public and therefore shorter, as for a withdrawal. */
  isPublic?: boolean;
  onChange: (text: string) => void;
  box?: RefObject<HTMLTextAreaElement | null>;
}

export function ReasonFields({ id, value, hint, isPublic = false, onChange, box }: Props) {
  return (
    <div class="field">
      <label for={id}>Reason</label>
      <span class="hint" id={`${id}-hint`}>
        {hint}
      </span>
      <select
        aria-label="Reason template"
        value=""
        onChange={({ currentTarget }) => {
          const text = TEMPLATES.find(([name]) => name === currentTarget.value)?.[1];
          if (text !== undefined) onChange(text);
          currentTarget.value = '';
          moveFocus(id);
        }}
      >
        <option value="">Choose a template</option>
        {TEMPLATES.map(([name]) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <textarea
        id={id}
        {...(box ? { ref: box } : {})}
        aria-describedby={`${id}-hint`}
        rows={3}
        required
        maxLength={isPublic ? MAX_PUBLIC_REASON : MAX_REASON}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  );
}
