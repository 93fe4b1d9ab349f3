import type { ResearchMetadata } from '@esd/record/catalog/catalog';
import { validateSubmission } from '@esd/record/validate/validate-submission';
import { polymersOf, rangeWarnings } from '../range-warnings.ts';
import { type FormField, IMAGES, POLYMERS, SOLVENTS } from './form-fields.ts';
import { componentFields, fieldsOf, type FormExperiment, hasValue, itemOf, labelsOf, numberOf } from './form-values.ts';
import type { ReferenceData } from './reference-data.ts';
import { problemText } from './problem-text.ts';
import type { ReadTyped, TypedReading } from './read-typed.ts';

export interface Finding {
  readonly path: string;
  readonly label: string;
  readonly text: string;
}

/** A finding with the index of its experiment; undefined for the paper and the sender. */
export interface LocatedFinding {
  readonly record: number | undefined;
  readonly finding: Finding;
}

export interface Checked {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** The polymers with whose records the values are compared; empty without a polymer. */
  readonly polymers: string;
}

/**
 * Checks one experiment against the rules of a submission and of the form. The form also requires a unit where there is
 * no default. The paths of the findings are those of the form fields.
 */
export function checkExperiment(
  experiment: FormExperiment,
  referenceData: ReferenceData,
  readTyped?: ReadTyped,
): Checked {
  const { references, ranges } = referenceData;
  const { values } = experiment;
  const fields = fieldsOf(values);
  const errors = fields.flatMap((field) => {
    const text = fieldError(field, experiment, (one) => readTyped?.(one, values, references) ?? []);
    return text === undefined ? [] : [{ path: field.path, label: field.label, text }];
  });
  const item = itemOf(experiment);
  const { problems, submission } = validateSubmission({ experimentData: [item] }, references, {
    userMetadata: 'optional',
  });
  for (const problem of problems) {
    const path = problem.path.replace(/^experimentData\[0\]\.?/, '');
    const shown = fieldAt(fields, path);
    if (shown && errors.some((error) => error.path === shown.path)) continue;
    const typed = shown === undefined ? '' : typedAt(path, shown, experiment);
    const text = problemText(problem, typed, shown ?? { label: '' }, references);
    errors.push({ path: shown?.path ?? (path.startsWith(IMAGES) ? IMAGES : path), label: shown?.label ?? '', text });
  }
  errors.push(...missing(experiment, errors));
  const data = submission?.records[0]?.data;
  const polymers = data === undefined ? '' : polymersOf(data);
  const warnings = [
    ...(submission?.records[0]?.warnings ?? []).map(({ path, message }) => {
      const shown = fieldAt(fields, path.replace('[]', '[0]'));
      return { path: shown?.path ?? path, label: shown?.label ?? '', text: message };
    }),
    ...(data === undefined ? [] : rangeWarnings(data, references, ranges.get(polymers) ?? {})).map((warning) => ({
      ...warning,
      label: '',
    })),
  ];
  return { errors, warnings, polymers };
}

/** Returns the error of a field according to the rules that only the form has. */
function fieldError(
  field: FormField,
  { values }: FormExperiment,
  readingsOf: (field: FormField) => readonly TypedReading[],
): string | undefined {
  const text = (values[field.path] ?? '').trim();
  if (text === '' || (field.dimensions === undefined && field.field.kind !== 'number')) return undefined;
  const number = numberOf(text);
  if (number === undefined) {
    const hasReadings = readingsOf(field).length > 0;
    return hasReadings ? `Choose how “${text}” is read` : 'Enter a number such as 12.5';
  }
  const isUnitOpen = field.dimensions !== undefined && field.unit === undefined && values[field.unitPath] === undefined;
  return isUnitOpen ? 'Choose a unit' : undefined;
}

function fieldAt(fields: readonly FormField[], path: string): FormField | undefined {
  return fields.find(
    (field) =>
      path === field.path ||
      path === field.unitPath ||
      path.startsWith(`${field.path}[`) ||
      path.startsWith(`${field.path}.`),
  );
}

/** Returns the input that a problem is about: the unit, one of several labels, or the whole field. */
function typedAt(path: string, field: FormField, { values }: FormExperiment): string {
  const text = values[path] ?? values[field.path] ?? '';
  const index = path.startsWith(`${field.path}[`) ? Number.parseInt(path.slice(field.path.length + 1), 10) : undefined;
  if (field.field.kind !== 'labels' || index === undefined) return text.trim();
  return labelsOf(text)[index] ?? text;
}

/** Lists the required names that are missing. Empty component lines need no name. */
function missing(experiment: FormExperiment, errors: readonly Finding[]): Finding[] {
  const findings: Finding[] = [];
  const report = (path: string, label: string, text: string): void => {
    if (!errors.some((error) => error.path === path)) findings.push({ path, label, text });
  };
  for (const [list, text] of [
    [POLYMERS, 'Name the polymer'],
    [SOLVENTS, 'Name the solvent'],
  ] as const) {
    const isNeeded = list === POLYMERS && !hasValue(experiment, `${list}[`);
    for (const [at, { line }] of componentFields(experiment.values, list).entries()) {
      const [name] = line;
      const isNamed = name === undefined || (experiment.values[name.path] ?? '').trim() !== '';
      if (isNamed) continue;
      if (hasValue(experiment, `${list}[${at}].`) || (isNeeded && at === 0)) report(name.path, name.label, text);
    }
  }
  return findings;
}

/** Checks the paper and the sender against the rules of a submission. */
export function checkAround(
  user: Readonly<Record<string, unknown>> | undefined,
  researchMetadata: ResearchMetadata,
  { references }: ReferenceData,
): Finding[] {
  // The rules require at least one record.
  const body = { userMetadata: user ?? {}, researchMetadata, experimentData: [{}] };
  const { problems } = validateSubmission(body, references, {
    userMetadata: user === undefined ? 'optional' : 'required',
  });
  return problems.map(({ path, code, message }) => {
    const label = AROUND[path] ?? path;
    const isMissing = code === 'MISSING_VALUE' || code === 'CONSENT_REQUIRED';
    return { path, label, text: isMissing ? (NEEDED[path] ?? message) : message.replaceAll('`', '') };
  });
}

/** Sorts findings in the order of the page: the paper, each experiment with its fields and images, and the sender. */
export function inPageOrder(
  findings: readonly LocatedFinding[],
  experiments: readonly FormExperiment[],
): LocatedFinding[] {
  const fields = experiments.map(({ values }) => fieldsOf(values));
  const around = Object.keys(AROUND);
  const placed = findings.map((located) => {
    const { record, finding } = located;
    if (record === undefined) {
      const group = finding.path.startsWith('researchMetadata.') ? -1 : experiments.length;
      return { located, group, at: around.indexOf(finding.path) };
    }
    const shown = fieldAt(fields[record] ?? [], finding.path);
    return { located, group: record, at: shown ? (fields[record] ?? []).indexOf(shown) : Infinity };
  });
  return placed.toSorted((a, b) => a.group - b.group || a.at - b.at).map(({ located }) => located);
}

/** Names of the fields around the experiments, in the order of the page. */
const AROUND: Readonly<Record<string, string>> = {
  'researchMetadata.doi': 'DOI of the paper',
  'researchMetadata.publicationTitle': 'Title of the paper',
  'userMetadata.name': 'Your name',
  'userMetadata.email': 'Your email address',
  'userMetadata.consentTerms': 'Terms',
};
const NEEDED: Readonly<Record<string, string>> = {
  'userMetadata.name': 'Enter your name',
  'userMetadata.email': 'Enter your email address so that a moderator can contact you',
  'userMetadata.consentTerms': 'Accept the terms before you send',
};
