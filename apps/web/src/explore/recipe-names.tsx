import { useEffect, useRef, useState } from 'preact/hooks';
import { ViewLink } from './links.tsx';
import { keyName } from '../names.ts';
import { useExplore } from './state.ts';

interface Props {
  name: 'polymer' | 'solvent';
  /** The names in the recipe of the view, separated by `|`. */
  chosen: string;
}

/** The polymers or solvents of a recipe, chosen one by one. Each name is a field of the form; a typed name counts too. */
export function RecipeNames({ name, chosen }: Props) {
  const { data, isLive } = useExplore();
  const [names, setNames] = useState(namesOf(chosen));
  const [typed, setTyped] = useState('');
  const shown = useRef(chosen);
  useEffect(() => {
    const { current: before } = shown;
    shown.current = chosen;
    // Unsent changes stay, also those made while the response to the last form was on its way.
    setNames((now) => (now.join('|') === before ? namesOf(chosen) : now));
  }, [chosen]);
  const known = data.facets?.facets[name]?.values ?? [];
  const [id, listId, field] = [`recipe-${name}`, `recipe-${name}-names`, `recipe.${name}`];
  const add = (text: string): void => {
    const added = text.trim();
    if (added !== '' && !names.includes(added)) setNames([...names, added]);
    setTyped('');
  };
  return (
    <div class="field">
      <label for={id}>{keyName(name)}</label>
      {names.length > 0 && (
        <ul class="bar" aria-label={`Chosen: ${keyName(name).toLowerCase()}`}>
          {names.map((one) => (
            <li class="chip" key={one}>
              <span>{one}</span>
              <input type="hidden" name={field} value={one} />
              {isLive ? (
                <button
                  type="button"
                  aria-label={`Remove ${one}`}
                  onClick={() => setNames(names.filter((other) => other !== one))}
                >
                  ×
                </button>
              ) : (
                <ViewLink
                  to={(now) => ({
                    ...now,
                    recipe: now.recipe.filter(([key]) => key !== name).concat(recipeOfNames(name, names, one)),
                  })}
                  label={`Remove ${one}`}
                >
                  ×
                </ViewLink>
              )}
            </li>
          ))}
        </ul>
      )}
      <input
        id={id}
        name={field}
        list={listId}
        autocomplete="off"
        placeholder={names.length === 0 ? '' : 'Add another name'}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={({ currentTarget }) => add(currentTarget.value)}
      />
      <datalist id={listId}>
        {known
          .filter(({ value }) => !names.includes(value))
          .map(({ value }) => (
            <option key={value}>{value}</option>
          ))}
      </datalist>
    </div>
  );
}

function recipeOfNames(name: Props['name'], names: readonly string[], removed: string) {
  const others = names.filter((one) => one !== removed);
  return others.length === 0 ? [] : [[name, others.join('|')] as const];
}

function namesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('|');
}
