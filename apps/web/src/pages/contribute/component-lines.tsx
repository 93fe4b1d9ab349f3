import type { Contribution } from '../../contribute/contribution.ts';
import { POLYMERS, SOLVENTS } from '../../contribute/form-fields.ts';
import { componentCount, componentFields, emptyExperiment } from '../../contribute/form-values.ts';
import { ExperimentField } from './experiment-field.tsx';
import { fieldId } from './input-props.ts';

interface Props {
  contribution: Contribution;
  record: number;
}

export function ComponentNames({ contribution, record, list }: Props & { list: typeof POLYMERS | typeof SOLVENTS }) {
  const { values } = contribution.experiments.value[record] ?? emptyExperiment;
  const what = list === POLYMERS ? 'Polymer' : 'Solvent';
  const count = componentCount(values, list);
  const addLine = (): void => {
    const [field] = componentFields(list, count);
    if (!field) return;
    contribution.type(record, field.path, '');
    requestAnimationFrame(() => document.getElementById(fieldId(record, field.path))?.focus());
  };
  return (
    <div class="lines">
      {Array.from({ length: count }, (_, at) => {
        const [field] = componentFields(list, at);
        return (
          field && (
            <ExperimentField
              key={field.path}
              contribution={contribution}
              record={record}
              field={field}
              label={count === 1 ? what : `${what} ${at + 1}`}
              hint={at === 0 ? 'Name, abbreviation, or CAS number' : undefined}
            />
          )
        );
      })}
      <button type="button" class="link small" onClick={addLine}>
        Add a {what.toLowerCase()}
      </button>
    </div>
  );
}

export function ComponentShares({ contribution, record }: Props) {
  const { values } = contribution.experiments.value[record] ?? emptyExperiment;
  return (
    <div class="fields">
      {([POLYMERS, SOLVENTS] as const).flatMap((list) =>
        Array.from({ length: componentCount(values, list) }, (_, at) => {
          const [name, ...shares] = componentFields(list, at);
          const what = list === POLYMERS ? 'polymer' : 'solvent';
          const typed = name === undefined ? '' : (values[name.path] ?? '').trim();
          const shown = typed === '' ? `${what} ${at + 1}` : typed;
          return shares.map((field) => (
            <ExperimentField
              key={field.path}
              contribution={contribution}
              record={record}
              field={field}
              label={`${field.label} of ${shown}`}
            />
          ));
        }),
      )}
    </div>
  );
}
