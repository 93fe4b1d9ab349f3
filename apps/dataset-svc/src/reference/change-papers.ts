import { isDoi } from '@esd/record/metadata/doi';
import { checkPaper } from '@esd/record/papers/check-paper';
import { readCslItem } from '@esd/record/papers/csl';
import type { PaperFacts, PaperSource } from '@esd/record/papers/paper';
import { describe, type ValidationProblem } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import { type Kysely, sql, type Transaction } from 'kysely';
import { type DatasetState, getHead, lockHead } from '../dataset-log/dataset-log.store.ts';
import type { Tables } from '../tables.ts';
import { nextEntryId } from './entry.store.ts';
import {
  applyChanges,
  type Change,
  type ChangeContext,
  entryNotFound,
  isSameEntry,
  requireValid,
  validationFailed,
} from './list-changes.ts';
import { findPaper, findPapersOf, type PaperEntry } from './paper.store.ts';

/** A paper as sent; the service sets the other members. */
export interface SentPaper extends PaperFacts {
  readonly id: number;
}

export interface ImportedPapers {
  created: number;
  updated: number;
  unchanged: number;
  state: DatasetState;
}

/** The `account_id` of changes by the service itself. */
const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';
const MAX_IMPORTED = 1_000;
/** Later than every dataset revision. */
const NEWEST = 2_147_483_647;

/** Returns a paper as it will be stored; `before` if it is equal. Throws VALIDATION_FAILED with all problems. */
export async function checkSentPaper(
  transaction: Transaction<Tables>,
  { id, ...facts }: SentPaper,
  before: PaperEntry | undefined,
): Promise<PaperEntry> {
  const { paper, problems } = checkPaper(facts);
  if (problems.length === 0) problems.push(...(await takenBy(transaction, paper.doi, before?.id)));
  requireValid(problems);
  const entry = entryOf(paper, id, 'entered');
  return before && isSameEntry(before, entry) ? before : entry;
}

/** Returns the current entry with an id. Throws ENTRY_NOT_FOUND. */
export async function requirePaper(transaction: Transaction<Tables>, id: number): Promise<PaperEntry> {
  const paper = await findPaper(transaction, id);
  if (!paper) throw entryNotFound('papers', id);
  return paper;
}

/**
 * Adds or replaces all papers of a CSL-JSON array as one dataset revision, or none if nothing changes. Throws INVALID_REQUEST
 * unless it is JSON, VALIDATION_FAILED with all problems unless it is an array of papers, and PAYLOAD_TOO_LARGE for more than 1,000.
 */
export async function importPapers(
  database: Kysely<Tables>,
  cslJson: string,
  context: ChangeContext,
): Promise<ImportedPapers> {
  const items = parseItems(cslJson);
  const problems: ValidationProblem[] = [];
  const read = items.map((item, at) => {
    const { paper, problems: ofItem } = readCslItem(item);
    problems.push(...ofItem.map((problem) => ({ ...problem, path: pathOf(at, problem.path) })));
    return paper;
  });
  reportRepeated(read, problems);
  requireValid(problems, 'import');
  return database.transaction().execute(async (transaction) => {
    const head = await lockHead(transaction);
    const papers = await withKnownNames(transaction, read, problems);
    reportRepeated(papers, problems);
    requireValid(problems, 'import');
    const dois = papers.map(({ doi }) => doi);
    const stored = await findPapersOf(transaction, dois, NEWEST);
    let nextId = await nextEntryId(transaction, 'papers');
    const changes = papers.flatMap((paper): Change<PaperEntry>[] => {
      const before = stored.get(paper.doi);
      if (before && isSameEntry(before, entryOf(paper, before.id, before.source))) return [];
      return [{ before, after: entryOf(paper, before?.id ?? nextId++, 'imported') }];
    });
    const updated = changes.filter(({ before }) => before).length;
    const counts = { created: changes.length - updated, updated, unchanged: papers.length - changes.length };
    if (changes.length === 0) return { ...counts, state: await getHead(transaction) };
    return { ...counts, state: await applyChanges(transaction, 'papers', head, context, changes) };
  });
}

/** Adds what the resolver found, unless there is an entry for the DOI. Returns whether it added an entry. */
export async function addResolvedPaper(
  database: Kysely<Tables>,
  paper: PaperFacts,
  requestId: string,
): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    const head = await lockHead(transaction);
    if ((await findPapersOf(transaction, [paper.doi], NEWEST)).size > 0) return false;
    const after = entryOf(paper, await nextEntryId(transaction, 'papers'), 'resolver');
    await applyChanges(transaction, 'papers', head, { accountId: NO_ACCOUNT, requestId }, [{ after }]);
    return true;
  });
}

async function takenBy(
  transaction: Transaction<Tables>,
  doi: string,
  id: number | undefined,
): Promise<ValidationProblem[]> {
  const taken = (await findPapersOf(transaction, [doi], NEWEST)).get(doi);
  if (!taken || taken.id === id) return [];
  const message = `The paper ${describe(doi)} already has the entry ${taken.id}; replace that entry instead.`;
  return [{ path: 'doi', code: 'NAME_TAKEN', message }];
}

function entryOf(paper: PaperFacts, id: number, source: PaperSource): PaperEntry {
  return { ...paper, id, source, updatedAt: new Date() };
}

function parseItems(cslJson: string): unknown[] {
  let items: unknown;
  try {
    items = JSON.parse(cslJson);
  } catch {
    throw new ServiceError('INVALID_REQUEST', 'The body must be valid JSON.');
  }
  if (!Array.isArray(items) || items.length === 0) {
    const got = Array.isArray(items) ? 'an empty array' : describe(items);
    const message = `The body must be a CSL-JSON array of 1 to 1,000 papers, got ${got}.`;
    throw validationFailed([{ path: '', code: 'WRONG_TYPE', message }], 'body');
  }
  if (items.length > MAX_IMPORTED) {
    const message = `An import has at most ${MAX_IMPORTED} papers, got ${items.length}. Split the file.`;
    throw new ServiceError('PAYLOAD_TOO_LARGE', message);
  }
  return items;
}

const pathOf = (at: number, member: string): string => (member === '' ? `[${at}]` : `[${at}].${member}`);

/**
 * Replaces each text that is not a DOI by the text that records or the list use for the paper, which can differ in case. Reports a
 * text that neither uses.
 */
async function withKnownNames(
  transaction: Transaction<Tables>,
  papers: readonly PaperFacts[],
  problems: ValidationProblem[],
): Promise<PaperFacts[]> {
  const texts = papers.flatMap(({ doi }) => (doi === '' || isDoi(doi) ? [] : [doi]));
  if (texts.length === 0) return [...papers];
  const listed = await transaction
    .selectFrom('paper')
    .select('doi')
    .where('valid_to', 'is', null)
    .where(sql`lower(doi)`, '=', sql<string>`any(${texts.map((text) => text.toLowerCase())})`)
    .execute();
  const published = await transaction
    .selectFrom('index_term')
    .select(sql<string>`terms::json ->> 0`.as('doi'))
    .where('field', '=', 'doi')
    .where(sql`lower(terms::json ->> 0)`, '=', sql<string>`any(${texts.map((text) => text.toLowerCase())})`)
    .execute();
  const names = [...listed, ...published].map(({ doi }) => doi);
  return papers.map((paper, at) => {
    const { doi } = paper;
    if (doi === '' || isDoi(doi)) return paper;
    const usedName = names.includes(doi) ? doi : names.find((name) => name.toLowerCase() === doi.toLowerCase());
    if (usedName !== undefined) return { ...paper, doi: usedName };
    const message = `No record names its paper ${describe(doi)}; send the DOI of the paper, such as 10.1002/app.21762.`;
    problems.push({ path: pathOf(at, 'DOI'), code: 'INVALID_FORMAT', message });
    return paper;
  });
}

function reportRepeated(papers: readonly PaperFacts[], problems: ValidationProblem[]): void {
  const first = new Map<string, number>();
  for (const [at, { doi }] of papers.entries()) {
    const other = doi === '' ? undefined : first.get(doi);
    if (other === undefined) first.set(doi, at);
    else {
      const message = `The paper ${describe(doi)} is also item ${other} of the array; send it once.`;
      problems.push({ path: pathOf(at, 'DOI'), code: 'NAME_TAKEN', message });
    }
  }
}
