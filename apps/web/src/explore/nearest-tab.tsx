import type { Nearest } from '@esd/pages/explore-data';
import { type ExploreView, type RecipeKey, recipeKeys, recipeOf } from '@esd/pages/explore-view';
import { displayUnits, fromDisplay } from '@esd/record/units/display-units';
import { isResult } from '@esd/record/metadata/key-labels';
import { useEffect, useRef, useState } from 'preact/hooks';
import { countText, numberText } from '../format.ts';
import { type KnownNames, useKnownNames } from '../parts/known-names.tsx';
import { NearestPapers, NearestRange, RepeatsOf, whyNoRange } from '../parts/nearest-evidence.tsx';
import { paperOf, PaperReference } from '../parts/paper-link.tsx';
import {
  type ChosenUnits,
  computedText,
  featureWords,
  figureText,
  isFeature,
  keyName,
  shareText,
  shown,
  unitOf,
  valueText,
  withUnit,
} from '../names.ts';
import { ScrollTable } from '../parts/scroll-table.tsx';
import { onSubmit } from '../client/events.ts';
import { noFailureText } from './evidence.ts';
import { HiddenFields, ViewLink } from './links.tsx';
import { useExplore } from './state.ts';

const FIRST: readonly RecipeKey[] = ['polymer', 'solvent', 'concentration', 'voltage', 'tipDist', 'flowRate'];
const MORE: readonly RecipeKey[] = ['needleDiameter', 'temp', 'humidity', 'fieldStrength', 'fiberDiameter'];

export function NearestTab() {
  const { base, view, data, units, go } = useExplore();
  const { nearest } = data;
  const recipe = recipeOf(view);
  const textOf = (key: RecipeKey): string => {
    const text = recipe.find(([one]) => one === key)?.[1] ?? '';
    return isFeature(key) && text !== '' ? String(Number(shown(key, Number(text), units).toPrecision(6))) : text;
  };
  const field = (key: RecipeKey) => {
    const id = `recipe-${key}`;
    if (key === 'polymer' || key === 'solvent') return <RecipeNames key={key} name={key} chosen={textOf(key)} />;
    return (
      <div class="field" key={key}>
        <label for={id}>
          {keyName(key)}
          <span class="muted"> ({unitOf(key, units)})</span>
        </label>
        <input id={id} name={`recipe.${key}`} inputMode="decimal" value={textOf(key)} autocomplete="off" />
      </div>
    );
  };
  return (
    <div class="nearest">
      <form
        action={`${base}/explore`}
        method="get"
        onSubmit={onSubmit((sent) => {
          const entered = recipeKeys.flatMap((key): ExploreView['recipe'] => {
            const texts = sent.getAll(`recipe.${key}`).map((entry) => (typeof entry === 'string' ? entry.trim() : ''));
            const text = [...new Set(texts)].filter((entry) => entry !== '').join('|');
            if (text === '') return [];
            if (!isFeature(key)) return [[key, text]];
            const number = fromDisplay(key, Number(text), displayUnits(key).length > 0 ? unitOf(key, units) : '');
            return Number.isFinite(number) ? [[key, String(number)]] : [];
          });
          go((now) => ({ ...now, recipe: entered }));
        })}
      >
        <HiddenFields view={view} except={recipeKeys.map((key) => `recipe.${key}`)} />
        <h2>Your recipe</h2>
        <p class="small muted">
          Enter the values that you know. Choose the components of a blend one by one. Active filters also apply.
        </p>
        {FIRST.map(field)}
        <details open={MORE.some((key) => recipe.some(([one]) => one === key))}>
          <summary>More values</summary>
          {MORE.map(field)}
        </details>
        <p>
          <button class="button primary" type="submit">
            Find nearest experiments
          </button>
        </p>
      </form>
      <section aria-labelledby="nearest">
        <h2 id="nearest">Nearest experiments</h2>
        {nearest === undefined && <p class="muted">Enter a recipe to find similar experiments.</p>}
        {typeof nearest === 'string' && (
          <p class="note bad" role="alert">
            {nearest}
          </p>
        )}
        {typeof nearest === 'object' && <Answer nearest={nearest} />}
      </section>
    </div>
  );
}

function Answer({ nearest }: { nearest: Nearest }) {
  const { view, data, units } = useExplore();
  const noFailure = noFailureText(data.summary);
  const { neighbors, fiberDiameter, stable, reliability, total, records } = nearest;
  const keys = recipeOf(view).map(([key]) => key);
  const unit = unitOf('fiberDiameter', units);
  const diameter = (value: number): string => computedText(shown('fiberDiameter', value, units));
  const range = (a: number, b: number): string => (a === b ? diameter(a) : `${diameter(a)}–${diameter(b)}`);
  if (neighbors.length === 0) return <p>No experiment with this polymer matches the filters.</p>;
  const reported = stable.yes + stable.no;
  const distinct = total < records ? 'distinct experiments' : 'experiments';
  const results = [...view.conditions.map(({ key }) => key), ...keys].filter(isResult);
  const rangeText = (low: number, high: number): string => withUnit(range(low, high), unit);
  return (
    <>
      <p>
        Of the {neighbors.length} nearest {distinct} (out of {numberText(total)}),{' '}
        {fiberDiameter.median !== null && fiberDiameter.q25 !== null && fiberDiameter.q75 !== null
          ? `${fiberDiameter.count} report a fiber diameter: median ${withUnit(diameter(fiberDiameter.median), unit)}, interquartile range ${withUnit(range(fiberDiameter.q25, fiberDiameter.q75), unit)}`
          : 'none reports a fiber diameter'}
        .{reported > 0 && ` ${shareText(stable.yes, reported)} were stable.`}
        {stable.unknown > 0 && ` Stability is not reported for ${stable.unknown}.`}
        {noFailure !== undefined && <b> {noFailure}</b>}
      </p>
      <NearestRange
        nearest={nearest}
        rangeText={rangeText}
        whyNone={
          results.length === 0
            ? whyNoRange(nearest)
            : 'the recipe or the filter has a result. Neighbors that are chosen by their results say nothing about the result to expect.'
        }
      />
      {reliability && (
        <p class="small muted">
          {reliability.medianAbsoluteLogError === null
            ? `There are too few papers on ${reliability.polymer} (${reliability.papers}) to estimate the error of this median.`
            : `How reliable is this median? For ${numberText(reliability.records)} ${reliability.polymer} records from ${countText(reliability.papers, 'paper')}, the median of the nearest records from other papers is typically off by a factor of ${Number(Math.exp(reliability.medianAbsoluteLogError).toPrecision(2))}.`}
        </p>
      )}
      <NearestPapers nearest={nearest} rangeText={rangeText} id="nearest-papers" />
      <ScrollTable
        labelledBy="nearest"
        heads={[
          'Record',
          {
            number: (
              <>
                Diameter<small>{unit}</small>
              </>
            ),
          },
          'Stable',
          ...keys.map((key) =>
            isFeature(key)
              ? {
                  number: (
                    <>
                      {keyName(key)}
                      <small>{unitOf(key, units)}</small>
                    </>
                  ),
                }
              : keyName(key),
          ),
          'Not reported',
          { number: 'Difference', small: '0 = same' },
          'Paper',
        ]}
      >
        {neighbors.map((neighbor) => (
          <NeighborRow key={neighbor.recordId} neighbor={neighbor} keys={keys} />
        ))}
      </ScrollTable>
      <p class="note-small muted">
        The difference is a mean over all values of the recipe, each relative to the spread of the value in the dataset.
        A value that is not reported counts as 1. Values that differ from the recipe are bold. These are reported
        results of other experiments. Values compared:{' '}
        {keys.map((key) => (isFeature(key) ? featureWords(key) : keyName(key).toLowerCase())).join(', ')}.
      </p>
    </>
  );
}

interface NeighborProps {
  neighbor: Nearest['neighbors'][number];
  keys: readonly RecipeKey[];
}

function NeighborRow({ neighbor, keys }: NeighborProps) {
  const { base, units } = useExplore();
  const names = useKnownNames();
  const { recordId, distance, parts, fiberDiameter, isFormationStable, doi, repeats } = neighbor;
  const unknown = keys.filter((key) => parts[key]?.missing === true).map((key) => keyName(key).toLowerCase());
  return (
    <tr>
      <th scope="row">
        <a href={`${base}/record/${recordId}`}>{recordId}</a>
        <RepeatsOf repeats={repeats} base={base} />
      </th>
      <td class="number strong">{comparedText('fiberDiameter', fiberDiameter, units, names)}</td>
      <td>{isFormationStable === null ? '–' : isFormationStable ? 'yes' : 'no'}</td>
      {keys.map((key) => {
        const compared = parts[key];
        return (
          <td
            class={`${isFeature(key) ? 'number' : ''}${compared && compared.distance > 0 ? ' differs' : ''}`}
            key={key}
          >
            {comparedText(key, compared?.value ?? null, units, names)}
          </td>
        );
      })}
      <td class="small">{unknown.join(', ')}</td>
      <td class="number">{Number(distance.toPrecision(2))}</td>
      <td class="paper">{doi === null ? '–' : <PaperReference doi={paperOf(doi)} />}</td>
    </tr>
  );
}

function comparedText(
  key: RecipeKey,
  value: number | readonly string[] | null,
  units: ChosenUnits,
  known: KnownNames,
): string {
  if (value === null) return '–';
  if (typeof value !== 'number')
    return value.map((member) => (isFeature(key) ? member : valueText(key, member, known))).join('–');
  return isFeature(key) ? figureText(shown(key, value, units)) : String(value);
}

interface Props {
  name: 'polymer' | 'solvent';
  /** The names in the recipe of the view, separated by `|`. */
  chosen: string;
}

/** The polymers or solvents of a recipe, chosen one by one. Each name is a field of the form; a typed name counts too. */
function RecipeNames({ name, chosen }: Props) {
  const { data, isLive } = useExplore();
  const [names, setNames] = useState(namesOf(chosen));
  const [typed, setTyped] = useState('');
  const previouslyChosen = useRef(chosen);
  useEffect(() => {
    const { current: before } = previouslyChosen;
    previouslyChosen.current = chosen;
    // Unsent changes stay, also those made while the response to the last form was on its way.
    setNames((now) => (now.join('|') === before ? namesOf(chosen) : now));
  }, [chosen]);
  const suggested = data.facets?.facets[name]?.values ?? [];
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
          {names.map((chosenName) => (
            <li class="chip" key={chosenName}>
              <span>{chosenName}</span>
              <input type="hidden" name={field} value={chosenName} />
              {isLive ? (
                <button
                  type="button"
                  aria-label={`Remove ${chosenName}`}
                  onClick={() => setNames(names.filter((other) => other !== chosenName))}
                >
                  ×
                </button>
              ) : (
                <ViewLink
                  to={(now) => ({
                    ...now,
                    recipe: now.recipe.filter(([key]) => key !== name).concat(recipeOfNames(name, names, chosenName)),
                  })}
                  label={`Remove ${chosenName}`}
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
        {suggested
          .filter(({ value }) => !names.includes(value))
          .map(({ value }) => (
            <option key={value}>{value}</option>
          ))}
      </datalist>
    </div>
  );
}

function recipeOfNames(name: Props['name'], names: readonly string[], removed: string) {
  const remaining = names.filter((chosenName) => chosenName !== removed);
  return remaining.length === 0 ? [] : [[name, remaining.join('|')] as const];
}

function namesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('|');
}
