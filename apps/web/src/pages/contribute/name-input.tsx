import { useSignal } from '@preact/signals';
import { completeNames, type NameMatch } from '../../contribute/complete-names.ts';
import { ownNameOf } from '../../contribute/problem-text.ts';
import { numberText } from '../../format.ts';
import type { InputProps } from './input-props.ts';

/** Completes a name of a reference list as the user types (the ARIA pattern of a combobox with a list). */
export function NameInput({
  contribution,
  record,
  field,
  id,
  text,
  attributes,
  list,
}: InputProps & { list: 'polymers' | 'solvents' }) {
  const isOpen = useSignal(false);
  const active = useSignal(-1);
  const referenceData = contribution.referenceData.value;
  const key = list === 'polymers' ? 'polymer' : 'solvent';
  const counts = referenceData?.counts[key];
  const completion =
    isOpen.value && referenceData !== undefined
      ? completeNames(text, list, referenceData.references, counts)
      : undefined;
  const visibleCompletion = completion !== undefined && text.trim() !== '' ? completion : undefined;
  const take = (name: string): void => {
    contribution.type(record, field.path, name);
    contribution.leave(record, field.path);
    isOpen.value = false;
    active.value = -1;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { matches } = visibleCompletion ?? { matches: [] };
    const chosen = matches[active.value];
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp': {
        event.preventDefault();
        isOpen.value = true;
        const step = event.key === 'ArrowDown' ? 1 : -1;
        if (matches.length > 0) active.value = (active.value + step + matches.length) % matches.length;
        return;
      }
      case 'Enter':
        if (!chosen) return;
        event.preventDefault();
        take(chosen.name);
        return;
      case 'Tab':
        if (chosen) take(chosen.name);
        return;
      case 'Escape':
        isOpen.value = false;
        active.value = -1;
    }
  };
  return (
    <div class="combobox">
      <input
        id={id}
        role="combobox"
        aria-expanded={visibleCompletion !== undefined}
        aria-controls={`${id}-list`}
        aria-activedescendant={active.value >= 0 && visibleCompletion ? `${id}-option-${active.value}` : undefined}
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => {
          contribution.type(record, field.path, currentTarget.value);
          isOpen.value = true;
          active.value = -1;
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          isOpen.value = false;
          // The record stores the list's own name instead of an alias.
          if (referenceData !== undefined && text.trim() !== '') {
            const listName = ownNameOf(text, list, referenceData.references);
            if (listName !== text) contribution.type(record, field.path, listName);
            else if (/[^\p{L}\p{N}_.]/u.test(text)) void contribution.splitBlend(record, field.path, key);
          }
          contribution.leave(record, field.path);
        }}
        {...attributes}
      />
      {visibleCompletion && (
        <div class="popup">
          <ul id={`${id}-list`} role="listbox" aria-label={list === 'polymers' ? 'Polymers' : 'Solvents'}>
            {visibleCompletion.matches.map((match, at) => (
              <li
                key={match.name}
                role="option"
                id={`${id}-option-${at}`}
                aria-selected={at === active.value}
                // A click would come after the input has lost the focus.
                onMouseDown={(event) => {
                  event.preventDefault();
                  take(match.name);
                }}
              >
                <b>
                  <Marked text={match.name} typed={text} />
                </b>
                <span>{describeMatch(match)}</span>
              </li>
            ))}
          </ul>
          <p>
            {visibleCompletion.matches.length === 0
              ? `No name matches “${text}”. Check the spelling, or try the CAS number.`
              : `${numberText(visibleCompletion.found)} of ${numberText(visibleCompletion.all)} names match, including aliases.`}
          </p>
        </div>
      )}
    </div>
  );
}

function describeMatch({ fullName, count }: NameMatch): string {
  const used = count === undefined ? undefined : count === 0 ? 'none yet' : numberText(count);
  return [fullName, used].filter((text) => text !== undefined).join(' · ');
}

function Marked({ text, typed }: { text: string; typed: string }) {
  const at = text.toLowerCase().indexOf(typed.trim().toLowerCase());
  if (at < 0 || typed.trim() === '') return <>{text}</>;
  const end = at + typed.trim().length;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, end)}</mark>
      {text.slice(end)}
    </>
  );
}
