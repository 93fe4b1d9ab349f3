import { moveFocus } from '../../client/move-focus.ts';
import type { Contribution } from '../../contribute/contribution.ts';
import { type FormGroup, formGroups, POLYMERS, solutionFields, SOLVENTS } from '../../contribute/form-fields.ts';
import { componentFields, emptyExperiment, hasValue, isEmptyExperiment, itemOf } from '../../contribute/form-values.ts';
import { filled } from '../../contribute/service.ts';
import { unreported } from '../../contribute/outcome.ts';
import { countText } from '../../format.ts';
import { Button } from '../../parts/buttons.tsx';
import { onSubmit } from '../../client/events.ts';
import { ComponentAmounts, ComponentLines } from './component-lines.tsx';
import { ERRORS, ErrorSummary } from './error-summary.tsx';
import { ExperimentField } from './experiment-field.tsx';
import { ExperimentImages } from './experiment-images.tsx';
import { OUTCOME, OutcomeNote } from './outcome-note.tsx';
import { SenderFields } from './sender-fields.tsx';

interface Props {
  contribution: Contribution;
  base: string;
}

export function FormMode({ contribution, base }: Props) {
  const { experiments, current, isBusy, outcome, own } = contribution;
  const count = experiments.value.filter((experiment) => !isEmptyExperiment(experiment)).length;
  const send = async (isCheck: boolean): Promise<void> => {
    if (contribution.isReady()) await contribution.sendForm(isCheck);
    if (contribution.problem.value === undefined) moveFocus(outcome.value ? OUTCOME : ERRORS);
  };
  const sendLabel = own.value ? 'Send the change' : `Send ${countText(Math.max(1, count), 'experiment')}`;
  return (
    <form aria-label="Experiment form" noValidate onSubmit={onSubmit(() => void send(false))}>
      {outcome.value ? (
        <OutcomeNote outcome={outcome.value} base={base} />
      ) : (
        <ErrorSummary contribution={contribution} />
      )}
      <Experiments contribution={contribution} />
      <OneExperiment key={current.value} contribution={contribution} record={current.value} base={base} />
      <Missing contribution={contribution} />
      <SenderFields contribution={contribution} />
      <div class="bar send">
        <button type="submit" class="button primary" disabled={isBusy.value}>
          {isBusy.value ? 'Sending…' : sendLabel}
        </button>
        {!own.value && (
          <Button disabled={isBusy.value} onClick={() => void send(true)}>
            Check only
          </Button>
        )}
      </div>
    </form>
  );
}

function Experiments({ contribution }: Pick<Props, 'contribution'>) {
  const { experiments, current, own } = contribution;
  if (own.value) return null;
  const isMany = experiments.value.length > 1;
  const act = (change: () => void): void => {
    change();
    moveFocus(tabId(current.value));
  };
  return (
    <div class="bar apart">
      <nav class="tabs" aria-label="Experiments">
        {experiments.value.map((experiment, at) => (
          <a
            key={at}
            id={tabId(at)}
            href={`#${tabId(at)}`}
            aria-current={at === current.value ? 'true' : undefined}
            onClick={(event) => {
              event.preventDefault();
              current.value = at;
            }}
          >
            {at + 1} · {tabName(experiment.values[`${POLYMERS}[0].polymerName`])}
          </a>
        ))}
      </nav>
      <div class="bar">
        {isMany && (
          <Button onClick={() => act(() => contribution.removeExperiment())}>
            Remove experiment {current.value + 1}
          </Button>
        )}
        {current.value > 0 && isEmptyExperiment(experiments.value[current.value] ?? emptyExperiment) ? (
          <Button onClick={() => act(() => contribution.copyBefore())}>Copy the one before</Button>
        ) : (
          <Button onClick={() => act(() => contribution.addExperiment(true))}>Copy to a new experiment</Button>
        )}
        <Button onClick={() => act(() => contribution.addExperiment(false))}>Add experiment</Button>
      </div>
    </div>
  );
}

/** Names what the current experiment does not report. Only its polymer is required. */
function Missing({ contribution: { experiments, current, paper } }: Pick<Props, 'contribution'>) {
  const experiment = experiments.value[current.value] ?? emptyExperiment;
  const missing = unreported(itemOf(experiment), { researchMetadata: filled(paper.value) });
  return (
    <p class="group small">
      <b>What is missing{experiments.value.length > 1 ? ` in experiment ${current.value + 1}` : ''}:</b>{' '}
      {missing.length === 0
        ? 'nothing'
        : `${missing.map((label) => label.toLowerCase()).join(', ')}. You can still send the experiment.`}
    </p>
  );
}

export function tabId(at: number): string {
  return `experiment-${at + 1}`;
}

function tabName(polymer = ''): string {
  return polymer.trim() === '' ? 'new' : polymer.trim();
}

function OneExperiment({ contribution, record, base }: Props & { record: number }) {
  const [concentration] = solutionFields.fields;
  return (
    <>
      <fieldset class="group">
        <legend>Solution</legend>
        <div class="fields">
          <ComponentLines contribution={contribution} record={record} list={POLYMERS} />
          <ComponentLines contribution={contribution} record={record} list={SOLVENTS} />
          {concentration && <ExperimentField contribution={contribution} record={record} field={concentration} />}
        </div>
      </fieldset>
      {formGroups.map((group) =>
        group.isOpen ? (
          <fieldset key={group.title} class="group">
            <legend>{group.title}</legend>
            <GroupFields contribution={contribution} record={record} base={base} group={group} />
          </fieldset>
        ) : (
          <details key={group.title} class="group">
            <summary>
              <b>{group.title}</b>: {summaryText(contribution, record, group)}
            </summary>
            <GroupFields contribution={contribution} record={record} base={base} group={group} />
          </details>
        ),
      )}
    </>
  );
}

function GroupFields({ contribution, record, base, group }: Props & { record: number; group: FormGroup }) {
  if (group.list === 'images') return <ExperimentImages contribution={contribution} record={record} base={base} />;
  if (group.list === 'amounts') return <ComponentAmounts contribution={contribution} record={record} />;
  return (
    <div class="fields">
      {group.fields.map((field) => (
        <ExperimentField key={field.path} contribution={contribution} record={record} field={field} />
      ))}
    </div>
  );
}

function summaryText({ experiments }: Contribution, record: number, { fields, list }: FormGroup): string {
  const experiment = experiments.value[record] ?? emptyExperiment;
  if (list === 'images') return experiment.images.length === 0 ? 'none' : countText(experiment.images.length, 'image');
  const shown =
    list === undefined
      ? fields
      : ([POLYMERS, SOLVENTS] as const).flatMap((components) =>
          componentFields(experiment.values, components).flatMap(({ amounts }) => amounts),
        );
  const filled = shown.filter(({ path }) => hasValue(experiment, path));
  return filled.length === 0 ? 'empty' : filled.map(({ label }) => label.toLowerCase()).join(', ');
}
