import { recordFields, researchFields } from '../catalog/catalog.ts';
import type { ExperimentData, ResearchMetadata, UserMetadata } from '../catalog/catalog.ts';
import { missingFields } from './missing-fields.ts';
import { ProblemList, describe, join } from './problems.ts';
import type { ValidationProblem, RecordWarning } from './problems.ts';
import { MAX_LEVELS } from './read-free-object.ts';
import { readMembers } from './read-members.ts';
import { readBoolean, readObject, report } from './read-value.ts';
import type { Reading } from './read-value.ts';
import { recordWarnings } from './record-warnings.ts';
import type { References } from '../reference/reference.ts';
import { MAX_RECORD_BYTES, MAX_RECORDS } from '../submission-size.ts';
import { readUserMetadata } from './validate-user-metadata.ts';

/** Members that responses add to a submission and its records. Ignored, so that a client can send back what it read. */
const SUBMISSION_ANSWERS: ReadonlySet<string> = new Set(['submissionId', 'status', 'submittedAt']);
const RECORD_ANSWERS: ReadonlySet<string> = new Set([
  'recordId',
  'experimentId',
  'status',
  'missingFields',
  'rejectionReason',
  'withdrawn',
  'warnings',
  'revision',
  'publishedRevision',
]);

export interface ValidRecord {
  /** In stored form, with the research metadata of the submission merged in. */
  data: ExperimentData;
  /** Paths of missing mandatory fields; the caller decides whether they are an error. */
  missingFields: string[];
  warnings: RecordWarning[];
}

export interface CheckedSubmission {
  userMetadata: UserMetadata;
  researchMetadata: ResearchMetadata;
  imageOnly: boolean;
  records: ValidRecord[];
}

export interface SubmissionCheck {
  /** The first 1,000 problems. */
  problems: ValidationProblem[];
  problemCount: number;
  /** Absent if there are problems. */
  submission?: CheckedSubmission;
}

export interface SubmissionOptions {
  /** `required` for a submitter without an account. */
  userMetadata: 'required' | 'optional';
  /** The value of the submission that is updated; the body must not change it. */
  imageOnly?: boolean;
  /** Retired names cause a warning instead of a problem, because an updated record may keep them. */
  keepsRetired?: boolean;
}

/**
 * Checks the parsed body of a submission or an update and converts it to its stored form. Reports all problems. Missing
 * mandatory fields are not problems; each record lists its own.
 */
export function validateSubmission(
  input: unknown,
  references: References,
  options: SubmissionOptions,
): SubmissionCheck {
  const steps = validateInSteps(input, references, options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Does the work of `validateSubmission`; yields after each record, so that other work can interleave. */
export function* validateInSteps(
  input: unknown,
  references: References,
  options: SubmissionOptions,
): Generator<void, SubmissionCheck> {
  const problems = new ProblemList();
  const keepsRetired = options.keepsRetired ?? false;
  const reading: Reading = { references, problems, warnings: [], keepsRetired, base: '' };
  const body = readObject(reading, '', input);
  if (body === undefined) return { problems: problems.problems, problemCount: problems.count };
  const members = ['userMetadata', 'researchMetadata', 'experimentData', 'imageOnly'];
  for (const name of Object.keys(body)) {
    if (members.includes(name) || SUBMISSION_ANSWERS.has(name)) continue;
    report(
      reading,
      join('', name),
      'UNKNOWN_MEMBER',
      () => `Unknown member ${describe(name)}; known: ${members.join(', ')}.`,
    );
  }
  const userMetadata = readUserMetadata(reading, body['userMetadata'], options.userMetadata);
  const research = body['researchMetadata'] ?? {};
  const researchMembers = readObject(reading, 'researchMetadata', research) ?? {};
  const researchMetadata = readMembers(reading, 'researchMetadata', researchMembers, researchFields);
  const imageOnly = readImageOnly(reading, body['imageOnly'] ?? undefined, options.imageOnly);
  const records: ValidRecord[] = [];
  for (const [i, item] of readItems(reading, body['experimentData'] ?? undefined).entries()) {
    const ofRecord = { ...reading, base: `experimentData[${i}]`, warnings: [] };
    records.push(checkRecord(ofRecord, item, researchMetadata, imageOnly));
    yield;
  }
  const check = { problems: problems.problems, problemCount: problems.count };
  return check.problemCount > 0
    ? check
    : { ...check, submission: { userMetadata, researchMetadata, imageOnly, records } };
}

function readImageOnly(reading: Reading, value: unknown, fixed: boolean | undefined): boolean {
  const imageOnly = readBoolean(reading, 'imageOnly', value ?? fixed ?? false) ?? false;
  if (fixed !== undefined && imageOnly !== fixed) {
    report(
      reading,
      'imageOnly',
      'NOT_CHANGEABLE',
      () =>
        `\`imageOnly\` was ${fixed} when the records were submitted and cannot change; leave it out or send ${fixed}.`,
    );
  }
  return imageOnly;
}

function readItems(reading: Reading, value: unknown): unknown[] {
  const path = 'experimentData';
  if (value === undefined || (Array.isArray(value) && value.length === 0)) {
    report(reading, path, 'MISSING_VALUE', () => '`experimentData` must have at least one record.');
    return [];
  }
  if (!Array.isArray(value)) {
    report(reading, path, 'WRONG_TYPE', () => `Expected an array of records, got ${describe(value)}.`);
    return [];
  }
  if (value.length > MAX_RECORDS) {
    const count = value.length;
    report(
      reading,
      path,
      'TOO_MANY_RECORDS',
      () => `\`experimentData\` must have at most ${MAX_RECORDS} records; it has ${count}.`,
    );
  }
  return value.slice(0, MAX_RECORDS);
}

function checkRecord(reading: Reading, item: unknown, research: ResearchMetadata, imageOnly: boolean): ValidRecord {
  const sent = readObject(reading, '', item) ?? {};
  // A record that is too large is not read, so that a hostile record costs little.
  const members = isSmall(reading, sent) ? sent : {};
  const own = readMembers(reading, '', members, recordFields, RECORD_ANSWERS);
  const { researchMetadata, ...rest } = own;
  const merged = { ...research, ...researchMetadata };
  const data: ExperimentData = Object.keys(merged).length > 0 ? { researchMetadata: merged, ...rest } : rest;
  if (imageOnly && data.fiberImages === undefined && members === sent) {
    report(reading, 'fiberImages', 'MISSING_VALUE', () => 'With `imageOnly`, each record must name an uploaded image.');
  }
  return {
    data,
    missingFields: missingFields(data, imageOnly),
    warnings: [...reading.warnings, ...recordWarnings(data, reading.references)],
  };
}

const utf8 = new TextEncoder();

/** Returns the bytes of a value as compact JSON; undefined if it has more levels than the engine can serialize. */
function jsonBytes(value: unknown): number | undefined {
  try {
    return utf8.encode(JSON.stringify(value)).length;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function largestMember(container: object): { name: string; value: unknown; bytes: number } | undefined {
  let largest: { name: string; value: unknown; bytes: number } | undefined;
  for (const name of Object.keys(container)) {
    const value: unknown = Reflect.get(container, name);
    const bytes = jsonBytes(value) ?? Infinity;
    if (bytes > (largest?.bytes ?? -1)) largest = { name, value, bytes };
  }
  return largest;
}

/** Returns whether a record is small enough. If not, reports the member that takes most of its bytes. */
function isSmall(reading: Reading, item: Readonly<Record<string, unknown>>): boolean {
  const bytes = jsonBytes(item);
  if (bytes !== undefined && bytes <= MAX_RECORD_BYTES) return true;
  if (bytes === undefined) {
    report(
      reading,
      '',
      'TOO_DEEP',
      () => `The record is nested too deeply; its free members may have at most ${MAX_LEVELS} levels.`,
    );
    return false;
  }
  let largest = largestMember(item);
  let path = largest === undefined ? '' : join('', largest.name);
  // Limited depth, because each level serializes the remaining value again.
  for (let level = 1; level < 5 && typeof largest?.value === 'object' && largest.value !== null; level++) {
    const inner = largestMember(largest.value);
    if (inner === undefined || inner.bytes < largest.bytes / 2) break;
    path = Array.isArray(largest.value) ? `${path}[${inner.name}]` : join(path, inner.name);
    largest = inner;
  }
  report(reading, '', 'RECORD_TOO_LARGE', () => {
    const limit = `A record must have at most ${MAX_RECORD_BYTES} bytes of JSON; this one has ${bytes}`;
    return largest === undefined ? `${limit}.` : `${limit}, of which \`${path}\` takes ${largest.bytes}.`;
  });
  return false;
}
