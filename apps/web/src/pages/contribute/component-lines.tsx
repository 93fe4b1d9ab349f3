import { moveFocus } from '../../client/move-focus.ts';
import type { Contribution } from '../../contribute/contribution.ts';
import { POLYMERS, SOLVENTS } from '../../contribute/form-fields.ts';
import { componentFields, emptyExperiment, hasValue } from '../../contribute/form-values.ts';
import { LinkButton } from '../../parts/buttons.tsx';
import { ExperimentField } from './experiment-field.tsx';
import { fieldId } from './input-props.ts';

interface Props {
  contribution: Contribution;
  record: number;
}

/** Shows a line for each component: its name, and its share if there are several components. */
export function ComponentLines({ contribution, record, list }: Props & { list: typeof POLYMERS | typeof SOLVENTS }) {
  const experiment = contribution.experiments.value[record] ?? emptyExperiment;
  const what = list === POLYMERS ? 'polymer' : 'solvent';
  const components = componentFields(experiment.values, list);
  const addLine = (): void => {
    const path = `${list}[${components.length}].${what}Name`;
    contribution.type(record, path, '');
    moveFocus(fieldId(record, path));
  };
  return (
    <div class="lines">
      {components.map(({ line: [name, share] }, at) => {
        // The share of a single component says nothing.
        const isShared = share !== undefined && (components.length > 1 || hasValue(experiment, share.path));
        return (
          <div key={at} class={isShared ? 'component' : undefined}>
            {name && (
              <ExperimentField
                contribution={contribution}
                record={record}
                field={name}
                hint={at === 0 ? 'Name, abbreviation, or CAS number' : undefined}
                isRequired={list === POLYMERS && at === 0}
              />
            )}
            {isShared && <ExperimentField contribution={contribution} record={record} field={share} />}
          </div>
        );
      })}
      <LinkButton class="small" onClick={addLine}>
        Add a {what}
      </LinkButton>
    </div>
  );
}

export function ComponentAmounts({ contribution, record }: Props) {
  const { values } = contribution.experiments.value[record] ?? emptyExperiment;
  const fields = ([POLYMERS, SOLVENTS] as const).flatMap((list) =>
    componentFields(values, list).flatMap(({ amounts }) => amounts),
  );
  return (
    <div class="fields">
      {fields.map((field) => (
        <ExperimentField key={field.path} contribution={contribution} record={record} field={field} />
      ))}
    </div>
  );
}
