import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { categoryKeys, features } from '@esd/record/filter/filter-keys';
import { parseFilter } from '@esd/record/filter/parse-filter';
import { RULES } from '@esd/record/rules';
import type { Exploration } from '../../src/explore/explorer.ts';
import { openExplored } from '../explored-dataset.ts';

/** Pins the answers of the current rules over the demo. If they change, raise RULES, see `libs/record/src/rules.ts`. */
const GOLDEN = { rules: 5, answers: 'aa8d9f00fd54656c' };

let explored: Awaited<ReturnType<typeof openExplored>>;
beforeAll(async () => {
  explored = await openExplored('golden');
});
afterAll(() => explored.close());

const names = features.map(({ feature }) => feature);
const axis = (feature: string, isLog: boolean) => ({ feature, bins: 7, isLog, min: undefined, max: undefined });
const recipe = { solvents: ['DMF'], k: 12, exclude: 4, explain: true };

const questions: readonly Exploration['questions'][number][] = [
  { $case: 'facets', value: { keys: [...categoryKeys], limit: 1_000 } },
  { $case: 'statistics', value: { features: names } },
  ...names.flatMap((feature) =>
    [false, true].map((isLog) => ({ $case: 'histogram', value: axis(feature, isLog) }) as const),
  ),
  ...categoryKeys.map((by) => ({ $case: 'coverage', value: { by, limit: 1_000 } }) as const),
  { $case: 'grid', value: { x: axis('voltage', false), y: axis('fiberDiameter', true), explain: true } },
  { $case: 'grid', value: { x: axis('concentration', true), y: axis('fieldStrength', false), explain: true } },
  ...['solventSystem', 'doi', 'temp'].map(
    (color) =>
      ({
        $case: 'points',
        value: { x: 'flowRate', y: 'tipDist', color, limit: 300, nulls: color === 'doi', explain: true },
      }) as const,
  ),
  {
    $case: 'nearest',
    value: {
      ...recipe,
      polymers: ['PVDF'],
      values: [
        { feature: 'voltage', value: 15 },
        { feature: 'flowRate', value: 1 },
      ],
    },
  },
  { $case: 'nearest', value: { ...recipe, polymers: [], values: [{ feature: 'needleDiameter', value: 0.5 }] } },
  { $case: 'summary', value: {} },
  { $case: 'keys', value: {} },
  { $case: 'facets', value: { keys: [...categoryKeys], limit: 1_000, tried: true } },
  { $case: 'statistics', value: { features: names, perPaper: true } },
  { $case: 'grid', value: { x: axis('voltage', false), y: axis('tipDist', false), explain: true, tried: true } },
];
const filters = [
  '{}',
  '{"polymer":"PVDF","voltageMin":12}',
  '{"solvent":"=","doi":"10.1"}',
  '{"polymer":"=PVA|PCL"}',
  '{"polymer":"PVDF","fiberDiameterMax":500}',
];

/** Shortens an answer for the snapshot: a long answer becomes its beginning and a digest. */
const readable = (answer: string): string =>
  answer.length <= 330 ? answer : `${answer.slice(0, 200)}… ${answer.length} characters, ${digestOf(answer)}`;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

test('answers over the demo do not change unless RULES is raised', async () => {
  const revision = explored.states[0]?.revision ?? 0;
  const answers: [question: string, answer: string][] = [];
  for (const text of filters) {
    const parsed = parseFilter(text);
    if ('problem' in parsed) throw new Error(parsed.problem.message);
    for (const question of questions) {
      const answer = JSON.stringify(await explored.ask(revision, parsed.filter, question));
      answers.push([`${text} ${question.$case} ${JSON.stringify(question.value)}`, answer]);
    }
  }
  // The snapshot shows which answer differs. Answers without a record are only part of the digest.
  const withRecords = answers.filter(([, answer]) => !/"total":0,|"edges":\[\]/.test(answer));
  expect(withRecords.map(([question, answer]) => `${question}: ${readable(answer)}`)).toMatchSnapshot();
  expect({ rules: RULES, answers: digestOf(answers.map(([, answer]) => `${answer}\n`).join('')) }).toEqual(GOLDEN);
});
